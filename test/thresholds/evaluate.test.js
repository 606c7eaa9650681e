'use strict'

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const Distribution = require('../../lib/metrics/distribution')
const { STATISTICS } = require('../../lib/metrics/fields')
const { durationStatistics } = require('../../lib/metrics/statistics')
const { evaluateThresholds, meets, parseThresholds } = require('../../lib/thresholds')
const { verdictsOf } = require('../../lib/thresholds/evaluate')
const { readValue } = require('../../lib/thresholds/read-value')
const shape = require('../../lib/thresholds/shape')
const { playInWorld } = require('../support/play-in-world')
const resultOf = require('./fixtures/result')

// A handwritten result.
function known (changes = {}) {
  const latency = new Distribution()
  for (let milliseconds = 1; milliseconds <= 1000; milliseconds++) latency.record(milliseconds * 1000)
  return {
    latency: durationStatistics(latency),
    requests: { average: 1234.5, total: 990, sent: 1000 },
    throughput: { average: 5e6 },
    errors: 10,
    timeouts: 7,
    non2xx: 99,
    '5xx': 99,
    rate: { offered: 1000, achieved: 990 },
    accounting: { scheduled: 1000, unsent: 0, sent: 1000, completed: 990, failed: 3, timedOut: 7, unfinished: 0 },
    statusCodeStats: { 200: { count: 891 }, 503: { count: 99 } },
    errorCodes: { ECONNRESET: { count: 3, phase: 'receive', phases: { receive: 3 }, message: 'read ECONNRESET' } },
    endpoints: [
      { title: 'a', method: 'GET', path: '/', latency: durationStatistics(latency), completed: 80, failed: 20, statusCodeStats: {} },
      { title: 'b', method: 'GET', path: '/', latency: durationStatistics(new Distribution()), completed: 0, failed: 0, statusCodeStats: {} }
    ],
    generator: { saturated: false, cpu: { user: 1, system: 1, percent: 55.5 }, eventLoop: { utilization: 0.25, delayP99: 1 } },
    histograms: { latency: latency.encode() },
    ...changes
  }
}

const actualOf = (threshold, result = known()) => evaluateThresholds(result, threshold)[0].actual
const verdictOf = (threshold, result = known()) => evaluateThresholds(result, threshold)[0].passed

t.test('each threshold with its actual value, in the unit of the limit, and its verdict', async (t) => {
  t.same(evaluateThresholds(known(), ['p99 < 1s', 'errors == 0', { '5xx': '<= 10%' }]), [
    { threshold: 'p99 < 1s', metric: 'latency.p99', operator: '<', limit: 1000, unit: 'ms', actual: known().latency.p99, passed: true, certain: true },
    { threshold: 'errors == 0', metric: 'errors', operator: '==', limit: 0, unit: '', actual: 10, passed: false, certain: true },
    { threshold: '5xx <= 10%', metric: '5xx', operator: '<=', limit: 10, unit: '%', actual: 10, passed: true, certain: true }
  ])
  t.same(evaluateThresholds(known(), []), [])
})

t.test('the operators', async (t) => {
  for (const [operator, [below, equal, above]] of Object.entries({
    '<': [false, false, true], '<=': [false, true, true], '>': [true, false, false], '>=': [true, true, false], '==': [false, true, false], '!=': [true, false, true]
  })) {
    t.equal(verdictOf(`errors ${operator} 9`), below, `10 ${operator} 9`)
    t.equal(verdictOf(`errors ${operator} 10`), equal, `10 ${operator} 10`)
    t.equal(verdictOf(`errors ${operator} 11`), above, `10 ${operator} 11`)
  }
  t.equal(verdictOf('generator.saturated == false'), true)
  t.equal(verdictOf('generator.saturated != false'), false)
})

t.test('shares: relative to the right total, and exact at the limit', async (t) => {
  t.equal(actualOf('rate.achieved >= 99%'), 99)
  t.equal(verdictOf('rate.achieved >= 99%'), true)
  t.equal(actualOf('rate.achieved >= 99'), 990, 'without % it is a rate')
  t.equal(actualOf('errorRate < 1'), 1, 'errors of all attempts: 10 of 990 completed and 10 errors')
  t.equal(verdictOf('errorRate <= 0.01'), true)
  t.equal(actualOf('errors < 1%'), 1)
  t.equal(actualOf('timeouts < 1%'), 0.7, 'of all sent')
  t.equal(verdictOf('timeouts <= 0.7%'), true)
  t.equal(verdictOf('timeouts < 0.7%'), false)
  t.equal(actualOf('non2xx < 1%'), 10, 'of all completed')
  t.equal(actualOf('accounting.failed < 1%'), 0.3, 'of all scheduled')
  t.equal(actualOf('endpoints[0].failed < 1%'), 20, 'of those of the endpoint')
  t.equal(actualOf('generator.eventLoop.utilization < 90%'), 25)
  t.equal(actualOf('generator.cpu.percent < 90%'), 55.5)
})

t.test('percentiles without a field of their own come from the histogram, with its precision', async (t) => {
  for (const [name, expected] of [['p99.5', 995], ['p12.34', 124], ['p100', 1000], ['p0', 1], ['p5', 50], ['p99.95', 1000]]) {
    const actual = actualOf(`${name} < 1s`)
    t.ok(Math.abs(actual - expected) <= 0.002 * expected, `${name}: ${actual} ms, should be ${expected}`)
  }
  t.equal(actualOf('p100 < 1'), 1000, 'never beyond the maximum')
  // A place of the histogram has eight of these microseconds.
  const close = new Distribution()
  for (const microseconds of [12_003, 12_004, 12_005]) close.record(microseconds)
  const result = known({ latency: durationStatistics(close), histograms: { latency: close.encode() } })
  t.same(['p0', 'p0.5', 'p100'].map((name) => actualOf(`${name} < 1`, result)), [12.003, 12.005, 12.005], 'nor below the minimum')
  t.equal(actualOf('p99.5 < 1s', known({ histograms: undefined })), null)
})

t.test('a missing value never passes, with any operator', async (t) => {
  const empty = known({ latency: durationStatistics(new Distribution()), histograms: { latency: new Distribution().encode() } })
  for (const operator of ['<', '<=', '>=', '==', '!=']) {
    for (const name of ['p99', 'p99.5', 'latency.max', 'latency.mean', 'latency.total', 'endpoints[1].latency.p50', "endpoints['b'].latency.p50", 'endpoints[2].latency.p50', "endpoints['c'].failed", 'connectTime.tls.p99', 'drain.completed', 'warmup.latency.p50', 'warmup.errorRate']) {
      t.same(evaluateThresholds(empty, `${name} ${operator} 0`).map(({ actual, passed }) => [actual, passed]), [[null, false]], `${name} ${operator} 0`)
    }
  }
  t.equal(verdictOf('latency.totalCount == 0', empty), true, 'but a threshold may require that there are none')
  t.equal(verdictOf('endpoints[1].failed < 1%'), false, 'and there are no shares of nothing')
  t.equal(verdictOf('5xx < 1%', known({ requests: { total: 0 }, '5xx': 0 })), false)
  t.equal(verdictOf('errors < 5', known({ errors: NaN })), false)
})

t.test('means and shares of nothing never pass, though the result has a 0', async (t) => {
  const SESSIONS = { sessions: { calls: 1 }, stream: true, overallRate: 10, duration: 1, timeout: 0.5 }
  const names = [
    ...['head', 'content', 'footer'].map((part) => `replySize.${part}`), 'replyRate.max', 'replyRate.p50', 'replyRate.average',
    'stream.eventsPerResponse.max', 'stream.eventsPerResponse.min', 'stream.eventsPerResponse.p99', 'sessions.connections.average'
  ]
  const { result: silent } = await playInWorld(t, { answer: 'silence' }, SESSIONS)
  t.equal(silent.accounting.completed, 0)
  for (const name of names) {
    for (const operator of ['<=', '>=', '==']) t.match(evaluateThresholds(silent, `${name} ${operator} 0`), [{ actual: null, passed: false, certain: false }], `${name} ${operator} 0`)
  }
  // Nothing was sent, and nothing entered the latency.
  const { result: refused } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 1, duration: 1 })
  for (const name of ['latencyBounds.share', 'latencyWithUnfinishedBounds.share']) t.match(evaluateThresholds(refused, `${name} < 1%`), [{ actual: null, passed: false }], name)
  const { result: unsent } = await playInWorld(t, { attempt: () => 'refuse' }, { overallRate: 10, duration: 1 })
  t.match(evaluateThresholds(unsent, 'sendDelay.causes.hooks < 1ms'), [{ actual: null, passed: false }])
  t.match(evaluateThresholds(unsent, 'latencyBounds.share <= 100%'), [{ actual: 100, passed: true }])
  t.match(evaluateThresholds(known({ broadcast: { expected: 0, received: 0, ratio: 0, fanOut: 0 } }), ['broadcast.ratio <= 1', 'broadcast.fanOut <= 1']).map(({ passed }) => passed), [false, true])

  const { result: answered } = await playInWorld(t, { answer: { pieces: [[0, 'data: a\n\n']] } }, { ...SESSIONS, duration: 6 })
  for (const name of names) t.match(evaluateThresholds(answered, `${name} >= 0`), [{ passed: true, certain: true }], name)
  t.equal(evaluateThresholds(answered, 'stream.eventsPerResponse.max <= 1')[0].passed, true)
})

// A run, its warm-up, a scenario or an endpoint in which everything was counted so many times, except for one thing that never occurred, and
// every share and mean is 0.
function placeOf (count, empty) {
  const countOf = (name) => name === empty ? 0 : count
  const statistics = (name) => ({ ...Object.fromEntries(STATISTICS.map((each) => [each, 0])), totalCount: countOf(name) })
  const noBounds = { count: 0, share: 0, smallest: null }
  return {
    latency: statistics('latency'),
    latencyWithUnfinished: statistics('latencyWithUnfinished'),
    latencyBounds: noBounds,
    latencyWithUnfinishedBounds: noBounds,
    requests: { ...statistics('requests'), total: countOf('completed') },
    throughput: statistics('throughput'),
    replyRate: statistics('replyRate'),
    replySize: { head: 0, content: 0, footer: 0 },
    sendDelay: { ...statistics('sendDelay'), causes: { connecting: 0, hooks: 0, asleep: 0 } },
    accounting: { sent: countOf('sent'), completed: countOf('completed') },
    sessions: { completed: countOf('sessions'), scheduled: count, connections: { average: 0 } },
    stream: { eventsPerResponse: statistics('stream.eventsPerResponse') },
    broadcast: { expected: countOf('broadcast'), received: count, ratio: 0 },
    monitor: [{ cpu: statistics('monitor[0].cpu'), memory: statistics('monitor[0].memory') }],
    missing: {}
  }
}

// The names of all fields that are computed from something which may not have occurred.
function basedIn ({ basis, entry, fields = new Map() }, before = '') {
  if (basis !== undefined) return [before]
  if (entry !== undefined) return basedIn(entry, before.endsWith('scenarios') ? `${before}.NAME` : `${before}[0]`)
  return [...fields].flatMap(([name, node]) => basedIn(node, before === '' ? name : `${before}.${name}`))
}

t.test('a share or mean is unknown if its own place has nothing that it could be computed from, whatever others have', async (t) => {
  const names = basedIn(shape.result)
  const fields = new Map(names.map((name) => [name, parseThresholds(`${name} <= 0`)[0].field]))
  const isUnknown = (name, result) => readValue(result, fields.get(name), '') === null
  const runOf = (counts, run) => ({ ...placeOf(counts[run]), endpoints: [placeOf(counts[`${run}endpoints[0]`])], scenarios: [{ name: 'NAME', ...placeOf(counts[`${run}scenarios.NAME`]) }] })
  const resultOfCounts = (counts) => ({ ...runOf(counts, ''), warmup: runOf(counts, 'warmup.') })
  const places = ['warmup.endpoints[0]', 'warmup.scenarios.NAME', 'warmup.', 'endpoints[0]', 'scenarios.NAME', '']
  const unknownIn = (counts, result = resultOfCounts(counts)) => names.filter((name) => isUnknown(name, result))
  for (const place of places) {
    const own = names.filter((name) => places.find((each) => name.startsWith(each)) === place)
    const others = Object.fromEntries(places.map((each) => [each, each === place ? 0 : 5]))
    t.same(unknownIn(others), own, `only ${place} is empty`)
    t.ok(own.length > 0)
  }
  t.same(unknownIn(Object.fromEntries(places.map((place) => [place, 1]))), [])

  const statistics = (name) => [name, STATISTICS.map((each) => `${name}.${each}`)]
  const needs = Object.fromEntries([
    ['latency', ['latencyBounds.share']],
    ['latencyWithUnfinished', ['latencyWithUnfinishedBounds.share']],
    ...['requests', 'throughput', 'replyRate', 'stream.eventsPerResponse', 'monitor[0].cpu', 'monitor[0].memory'].map(statistics),
    ['completed', ['head', 'content', 'footer'].map((part) => `replySize.${part}`)],
    ['sent', ['connecting', 'hooks', 'asleep'].map((cause) => `sendDelay.causes.${cause}`)],
    ['sessions', ['sessions.connections.average']],
    ['broadcast', ['broadcast.ratio']]
  ])
  const ownNames = names.filter((name) => places.find((each) => name.startsWith(each)) === '')
  for (const [empty, needing] of Object.entries(needs)) {
    const result = { ...placeOf(5, empty), endpoints: [placeOf(5)], scenarios: [{ name: 'NAME', ...placeOf(5) }] }
    t.same(ownNames.filter((name) => isUnknown(name, result)).sort(), needing.toSorted(), `without ${empty}`)
  }
  t.same(Object.values(needs).flat().sort(), ownNames.toSorted(), 'these are all')
})

// The names of all figures of which any percentile can be read.
function histogramsIn ({ histogram, entry, fields = new Map() }, before = '') {
  const own = typeof histogram === 'string' ? [[before, histogram]] : []
  if (entry !== undefined) return histogramsIn(entry, before.endsWith('scenarios') ? `${before}.NAME` : `${before}[0]`)
  return [...own, ...[...fields].flatMap(([name, node]) => histogramsIn(node, before === '' ? name : `${before}.${name}`))]
}

t.test('any percentile is read from the histogram of its figure, in the run, its warm-up or the scenario that it belongs to', async (t) => {
  const figures = histogramsIn(shape.result)
  const all = [...new Set(figures.map(([, histogram]) => histogram))]
  const places = ['warmup.scenarios.NAME.', 'warmup.', 'scenarios.NAME.', '']
  // Each has a time of its own, in ms.
  const timeOf = (place, histogram) => 1 + places.indexOf(place) * all.length + all.indexOf(histogram)
  const encoded = (milliseconds) => {
    const distribution = new Distribution()
    distribution.record(milliseconds * 1000)
    return distribution.encode()
  }
  const result = {}
  for (const place of places) {
    const histograms = Object.fromEntries(all.map((histogram) => [histogram, encoded(timeOf(place, histogram))]))
    placeIn(result, place).histograms = histograms
  }
  for (const [name] of figures) put(result, name, { min: 0, max: 1000, totalCount: 1 })
  t.ok(figures.length > all.length)
  for (const [name, histogram] of figures) {
    const place = places.find((each) => name.startsWith(each))
    t.equal(Math.floor(actualOf(`${name}.p50.5 < 1s`, result)), timeOf(place, histogram), name)
  }
})

// The part of a result with this name, which is created if it isn't there.
function placeIn (result, name) {
  return name.split('.').filter(Boolean).reduce((part, key) => {
    if (key === 'NAME') return (part[0] ??= { name: key })
    return (part[key] ??= key === 'scenarios' ? [] : {})
  }, result)
}

function put (result, name, values) {
  Object.assign(placeIn(result, name), values)
}

t.test('each statistic that a threshold can name is one of durations, or says how many values it has', async (t) => {
  const unguarded = [...groups(shape.result)].filter(([, { fields, isDuration }]) => fields.has('totalCount') && !isDuration)
    .flatMap(([name, { fields }]) => [...fields].filter(([key, { basis }]) => STATISTICS.includes(key) && basis !== 'values').map(([key]) => `${name}.${key}`))
  t.same(unguarded, [])
})

// All groups of fields, each with its name.
function * groups (node, name = '') {
  if (node.fields !== undefined) yield [name, node]
  for (const [key, each] of [...node.fields ?? [], ...(node.entry === undefined ? [] : [['…', node.entry]])]) yield * groups(each, `${name}.${key}`)
}

t.test('a status or error that did not occur counts 0', async (t) => {
  t.equal(actualOf('statusCodeStats.404 == 0'), 0)
  t.equal(actualOf('statusCodeStats.503 == 0'), 99)
  t.equal(actualOf('errorCodes.ECONNREFUSED == 0'), 0)
  t.equal(actualOf('errorCodes.ECONNRESET == 0'), 3)
  t.equal(actualOf('errorCodes.ECONNRESET.phases.receive == 0'), 3)
  t.equal(actualOf('errorCodes.ECONNRESET.phases.connect == 0'), 0)
  t.equal(actualOf('errorCodes.ECONNRESET == 0', known({ errorCodes: {} })), 0)
})

t.test('every number of a real result has a name that returns it, also after JSON', async (t) => {
  const live = await resultOf(t, { warmup: { duration: 0.1, connections: 2 }, requests: [{ title: 'one' }, { path: '/two' }] })
  for (const result of [live, JSON.parse(JSON.stringify(live))]) {
    // Samples, single requests and the cells of the heat map are not statistics of the run.
    const leaves = [...numbersOf(result)].filter(({ name }) => !/timeline|Date|^start|^finish|histograms|warnings|^(environment|options)\.|^(warmup\.)?(slowest|heat)[.[]/.test(name))
    t.ok(leaves.length > 300, `${leaves.length} numbers`)
    for (const { name, value, parent } of leaves) {
      const [{ actual, unit }] = evaluateThresholds(result, typeof value === 'boolean' ? `${name} == true` : `${name} > 0`)
      const isEmpty = parent.totalCount === 0 && !/totalCount$|^(warmup\.)?(requests|throughput)/.test(name)
      const expected = isEmpty ? null : unit === '%' && !name.endsWith('percent') ? value * 100 : value
      if (actual === null || typeof actual === 'boolean' ? actual !== expected : Math.abs(actual - expected) > 1e-9 * Math.abs(expected)) t.fail(`${name}: ${actual} and not ${expected}`)
    }
  }
})

function * numbersOf (value, name = '', parent = null) {
  if (typeof value === 'number' || typeof value === 'boolean') yield { name, value, parent }
  if (value === null || typeof value !== 'object' || value instanceof Date) return
  for (const [key, child] of Object.entries(value)) {
    yield * numbersOf(child, Array.isArray(value) ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`, value)
  }
}

t.test('a result with malformed parts meets no threshold on them', async (t) => {
  const thresholds = ['mismatches == 0', 'checks == 100%', "checks['a'] == 100%", "endpoints['a'].failed >= 0", "scenarios['a'].errors >= 0"]
  for (const malformed of [null, undefined, 'text', true, {}, [null], [5], 5]) {
    const parts = { accounting: malformed, checks: malformed, endpoints: malformed, scenarios: malformed }
    const verdicts = evaluateThresholds(known({ mismatches: 0, missing: {}, unverified: 0, ...parts }), thresholds)
    t.same(verdicts.filter(({ passed }) => passed).map(({ threshold }) => threshold), [])
  }
})

t.test('only results can be checked', async (t) => {
  for (const bad of [null, undefined, 5, 'text', [], {}, { latency: null }, { latency: 5 }]) {
    t.throws(() => evaluateThresholds(bad, 'p99 < 5'), { code: CODES.BAD_ARGUMENT, message: /result of a run/ })
  }
  t.throws(() => evaluateThresholds(known(), 'foo < 5'), { code: CODES.BAD_THRESHOLD })
  t.same(evaluateThresholds(known(), parseThresholds('errors == 10'))[0].passed, true)
})

t.test('results of others, and verdicts of earlier versions, which may have passed because of a lower bound', async (t) => {
  t.match(evaluateThresholds({ latency: { p99: 5 } }, 'p99 < 10ms')[0], { actual: 5, passed: true }, 'nothing says how many values it has')
  const result = { latency: { p99: 5, totalCount: 90 }, rate: {}, non2xx: 0, accounting: { completed: 80, timedOut: 10, unsent: 10, unfinished: 0 }, latencyBounds: { count: 10, smallest: 4 } }
  const [anew] = evaluateThresholds(result, 'p99 < 10ms')
  t.match(anew, { passed: false, certain: false })
  const told = { ...anew, passed: true, certain: true }
  const again = (more) => verdictsOf({ ...result, ...more, thresholds: [told] })[0].passed
  t.same([again({}), again({ missing: {} })], [false, true], 'unless it says which values are missing')
  const untold = { ...told, certain: undefined }
  t.match(verdictsOf({ ...result, missing: {}, thresholds: [untold] })[0], { passed: false, certain: false }, 'and the verdict whether it is certain')
})

t.test('whether all values of a range meet a threshold, or none of them', async (t) => {
  const RANGE = [2, 4]
  const expected = {
    '<': [false, false, null, null, true],
    '<=': [false, null, null, true, true],
    '>': [true, null, null, false, false],
    '>=': [true, true, null, null, false],
    '==': [false, null, null, null, false],
    '!=': [true, null, null, null, true]
  }
  for (const [operator, verdicts] of Object.entries(expected)) t.same([1, 2, 3, 4, 5].map((limit) => meets(RANGE, { operator, limit })), verdicts, operator)
  t.same(['==', '!='].map((operator) => [2, 3].map((limit) => meets([3, 3], { operator, limit }))), [[false, true], [true, false]])
  t.same([true, false].flatMap((limit) => [[true, true], [false, true], [false, false]].map((range) => meets(range, { operator: '==', limit }))), [true, null, false, false, null, true])
})

t.test('of several endpoints with one title, the one counts that is furthest from the limit, whatever their order', async (t) => {
  const endpoint = (completed) => ({ title: 'a', method: 'GET', path: '/', completed, failed: 0, latency: { totalCount: completed } })
  const actualOf = (threshold, counts) => evaluateThresholds({ latency: { p50: 1, totalCount: 9 }, accounting: { completed: 9 }, endpoints: counts.map(endpoint) }, `endpoints['a'].completed ${threshold}`)[0]
  for (const counts of [[3, 5, 7], [7, 5, 3], [5, 7, 3], [5, 3, 7]]) {
    for (const [threshold, actual, passed] of [['> 8', 3, false], ['>= 8', 3, false], ['< 2', 7, false], ['<= 2', 7, false], ['>= 3', 3, true], ['> 2', 3, true], ['<= 7', 7, true], ['< 8', 7, true], ['>= 4', 3, false], ['<= 4', 7, false]]) {
      t.match(actualOf(threshold, counts), { actual, passed }, `${counts} ${threshold}`)
    }
  }
})
