'use strict'

// The whole answer of each study, and all that its listeners hear, for servers whose times are known: every field, and no other.

const t = require('tap')
const { compare, findCapacity, findJamming, sweep } = require('../..')
const { simulate } = require('../simulation/world')

const DATE = Date.parse('2020-01-01T00:00:01.000Z')
const EVENTS = ['start', 'begin', 'run', 'row', 'step', 'point', 'level', 'done']

/** Plays a study. @returns {Promise<object>} its answer as plain data, the events in order, and the results of its runs */
async function played (start) {
  const events = []
  const results = []
  const options = []
  const { value: { environment, start: begun, finish, ...answer }, world } = await simulate({ seed: 1 }, (world) => {
    const study = start(world)
    for (const event of EVENTS) study.on(event, (...args) => events.push([event, args]))
    study.on('run', (result) => results.push(result)).on('begin', ({ opts }) => options.push(opts))
    return study
  })
  t.same(world.leftovers, [])
  const seconds = (finish - begun) / 1000
  return { answer: plain({ ...answer, begun: begun - DATE, seconds: answer.seconds }), events, results, options, seconds }
}

const plain = (value) => JSON.parse(JSON.stringify(value))
const thousandth = (number) => Math.round(number * 1000) / 1000
// What the listeners of an event were told about each run.
const toldAbout = (events, name) => events.filter(([event]) => event === name).map(([, [, about]]) => about)
const namesOf = (events) => events.map(([event]) => event)

/** A row of a target that kept up, whose responses all took this long (ms), every `failing`-th of them with status 404. */
function rowOf (name, rate, { ms, connections, seconds = 1, failing = Infinity }, { bytes }) {
  const completed = rate * seconds
  const non2xx = Math.floor(completed / failing)
  return {
    name,
    achieved: rate,
    sustained: rate,
    keepsUp: true,
    limitedBy: null,
    saturated: false,
    reasons: [],
    requestRate: rate,
    connectionRate: thousandth(connections / seconds),
    replyRate: { min: rate, avg: rate, max: rate, stddev: 0 },
    responseTime: ms,
    serviceTime: ms,
    timeToFirstByte: ms,
    p50: ms,
    p90: ms,
    p99: ms,
    p99_9: ms,
    atLeast: [],
    netIO: thousandth((bytes.read + bytes.written) / 1024 / seconds),
    errors: 0,
    errorPercent: 0,
    completed,
    unsent: 0,
    unfinished: 0,
    timeouts: 0,
    non2xx,
    failures: non2xx,
    statuses: { 200: completed - non2xx, ...(non2xx > 0 && { 404: non2xx }) }
  }
}

t.test('a sweep of two servers', async (t) => {
  const SERVERS = [
    { name: '10.0.0.1/shop', ms: 5, connections: 4 },
    { name: 'other', ms: 10, connections: 3, failing: 2 }
  ]
  const { answer, events, results, options, seconds } = await played((world) => {
    const [one, other] = SERVERS.map(({ ms, failing }, index) => world.server({ host: `10.0.0.${index + 1}`, serviceTime: ms, answer: ({ number }) => number % failing === failing - 1 ? 404 : 200 }))
    return sweep([
      { url: `${one.url}/shop`, connections: 4 },
      { url: other.url, connections: 3, title: 'other', sampleInt: 500 }
    ], { rates: [20, 10], duration: 1, pause: 0.5 })
  })
  const order = [[0, 10], [1, 10], [1, 20], [0, 20]]
  const about = order.map(([target, demanded]) => ({ target, name: SERVERS[target].name, demanded }))
  const targetOf = (index, demanded) => {
    const result = results[order.findIndex(([target, rate]) => target === index && rate === demanded)]
    const row = rowOf(SERVERS[index].name, demanded, SERVERS[index], result)
    const { written } = result.bytes
    const { head, content } = result.replySize
    const replyRate = { min: 0, avg: 0, max: 0, stddev: 0, samples: 0 }
    return { ...row, httperf: { calls: 1, connectionRate: row.connectionRate, requestRate: demanded, replyRate, responseTime: SERVERS[index].ms, errors: 0, netIO: (written + demanded * (head + content)) / 1024 } }
  }
  const urls = ['http://10.0.0.1:80/shop', 'http://10.0.0.2:80']
  t.strictSame(answer, {
    kind: 'sweep',
    axis: 'rates',
    ratesOf: 'requests',
    rows: [10, 20].map((demanded) => ({ demanded, targets: [targetOf(0, demanded), targetOf(1, demanded)] })),
    knee: [null, null],
    stoppedBy: null,
    targets: SERVERS.map(({ name }, index) => ({ name, url: urls[index] })),
    duration: 1,
    warnings: [
      { code: 'NO_KNEE', message: 'Up to 20 requests per second 10.0.0.1/shop shows no knee: sweep higher to find it.' },
      { code: 'NO_KNEE', message: 'Up to 20 requests per second other shows no knee: sweep higher to find it.' }
    ],
    options: [{ url: urls[0], connections: 4 }, { url: urls[1], connections: 3, title: 'other', sampleInt: 500 }],
    begun: 0
  })
  const run = ['begin', 'run']
  t.same(namesOf(events), ['start', ...run, ...run, 'row', ...run, ...run, 'row', 'done'])
  for (const event of run) t.strictSame(toldAbout(events, event), about)
  t.strictSame(events[0][1], [{ seconds: 4 * 1.5 - 0.5 }])
  t.equal(seconds, 4 * 1.5 - 0.5)
  t.same(options.map(({ overallRate, duration, connections, sampleInt, title }) => [overallRate, duration, connections, sampleInt, title]), [
    [10, 1, 4, 100, undefined], [10, 1, 3, 500, 'other'], [20, 1, 3, 500, 'other'], [20, 1, 4, 100, undefined]
  ])
  const rows = events.filter(([event]) => event === 'row').map(([, [row, its]]) => [plain(row), its])
  t.same(rows, [[answer.rows[0], [results[0], results[1]]], [answer.rows[1], [results[3], results[2]]]])
})

t.test('a sweep of connections', async (t) => {
  // Each of the users is answered every 5 ms; the last response is due when the run ends.
  const { answer, events, options, seconds } = await played((world) => sweep({ url: world.server({ serviceTime: 5 }).url }, { connections: [2, 1], duration: 1, pause: 0.25 }))
  const { rows, ...rest } = answer
  t.strictSame(rest, {
    kind: 'sweep',
    axis: 'connections',
    ratesOf: 'requests',
    knee: null,
    stoppedBy: null,
    targets: [{ name: '10.0.0.1', url: 'http://10.0.0.1:80' }],
    duration: 1,
    warnings: [{ code: 'NO_KNEE', message: 'Up to 2 connections 10.0.0.1 shows no knee: sweep higher to find it.' }],
    options: { url: 'http://10.0.0.1:80' },
    begun: 0
  })
  t.strictSame(rows.map(({ connections, targets }) => [connections, targets.length]), [[1, 1], [2, 1]])
  for (const { connections, targets: [target] } of rows) {
    t.strictSame(Object.keys(rows[0]), ['connections', 'targets'])
    t.notOk('httperf' in target, 'httperf has no closed model')
    t.match(target, { keepsUp: null, limitedBy: null, saturated: false, reasons: [], responseTime: 5, p50: 5, errors: 0, unfinished: connections })
    t.ok(Math.abs(target.achieved - 200 * connections) <= 2 * connections, `${target.achieved}`)
  }
  t.strictSame(toldAbout(events, 'run'), [1, 2].map((connections) => ({ target: 0, name: '10.0.0.1', connections })))
  t.same(options.map(({ connections, duration, overallRate, sampleInt }) => [connections, duration, overallRate, sampleInt]), [[1, 1, undefined, 100], [2, 1, undefined, 100]])
  t.ok(Math.abs(seconds - 2.25) < 0.01)
})

t.test('a knee of a sweep has the numbers of its row', async (t) => {
  // One at a time in 5 ms, so 200/s.
  const { answer: { rows, knee } } = await played((world) => sweep({ url: world.server({ serviceTime: 5, slots: 1 }).url, connections: 500 }, { rates: [50, 100, 400, 800], duration: 1, pause: 0.5 }))
  const [, { targets: [row] }] = rows
  t.strictSame(knee, { name: row.name, rate: 100, achieved: 100, p50: 5, p99: 5, beyond: 400, reason: 'rate', limitedBy: 'server' })
  t.same(rows.map(({ targets: [{ keepsUp, limitedBy, achieved }] }) => [keepsUp, limitedBy, achieved]), [[true, null, 50], [true, null, 100], [false, 'server', 200], [false, 'server', 200]])
})

// The verdicts on a rate that a server kept up with: in `rate.achieved`, one request more may be missing at each end of the part of a run
// that counts, which are two thirds of it.
const verdictsOf = (rate, seconds) => [
  { threshold: 'failures == 0', metric: 'failures.count', operator: '==', limit: 0, unit: '', actual: 0, passed: true, certain: true },
  { threshold: 'rate.achieved >= 98%', metric: 'rate.achieved', operator: '>=', limit: 98, unit: '%', actual: 100 + 100 / (rate * seconds * 2 / 3), passed: true, certain: true }
]

t.test('a search for the capacity, in which each rate passes', async (t) => {
  const { answer, events, results, options, seconds } = await played((world) => findCapacity({ url: world.server({ serviceTime: 5 }).url, connections: 4 }, { rates: { from: 10, to: 40 }, duration: 1, pause: 0.5 }))
  const runs = [[10, 'climb', 1], [20, 'climb', 1], [40, 'climb', 1], [40, 'confirm', 3]]
  // The climb to the highest rate and one step more, or down again with each rate repeated; bisecting; and three longer runs, repeated.
  const short = Math.max(2 + 2, 2 * 1) + 2 * 5
  const long = 6
  t.strictSame(answer, {
    kind: 'capacity',
    axis: 'rates',
    ratesOf: 'requests',
    capacity: 40,
    interval: [40, null],
    limitingThreshold: null,
    limitedBy: 'maximum asked for',
    reasons: [],
    isConfirmed: true,
    knee: null,
    steps: runs.map(([rate, phase, duration], index) => ({
      rate,
      phase,
      duration,
      passed: true,
      missed: [],
      verdicts: verdictsOf(rate, duration),
      ...rowOf('10.0.0.1', rate, { ms: 5, connections: 4, seconds: duration }, results[index])
    })),
    slo: ['failures == 0'],
    precision: 0.05,
    target: { name: '10.0.0.1', url: 'http://10.0.0.1:80' },
    connections: 4,
    seconds: Math.ceil(short * 1 + long * 3 + (short + long) * (1 + 0.5 + 0.1)),
    warnings: [],
    options: { url: 'http://10.0.0.1:80', connections: 4 },
    begun: 0
  })
  t.equal(seconds, 3 * 1.5 + 3)
  t.same(namesOf(events), ['start', ...runs.flatMap(() => ['begin', 'run', 'step']), 'done'])
  for (const event of ['begin', 'run']) t.strictSame(toldAbout(events, event), runs.map(([rate, phase]) => ({ name: '10.0.0.1', rate, phase })))
  t.same(events.filter(([event]) => event === 'step').map(([, [step, result]]) => [plain(step), result]), answer.steps.map((step, index) => [step, results[index]]))
  t.same(options.map(({ overallRate, duration, drain, sampleInt, abortOnFail, thresholds }) => [overallRate, duration, drain, sampleInt, abortOnFail, thresholds.map(({ threshold }) => threshold)]),
    runs.map(([rate, phase, duration]) => [rate, duration, 1, 100 * duration, true, ['failures == 0']]))
})

t.test('a search for the capacity in connections, in which each number passes', async (t) => {
  const { answer: { steps, seconds, ...answer }, events, options } = await played((world) => findCapacity({ url: world.server({ serviceTime: 5 }).url }, { connections: { from: 1, to: 4 }, duration: 1, pause: 0.5 }))
  const runs = [[1, 'climb', 1], [2, 'climb', 1], [4, 'climb', 1], [4, 'confirm', 3]]
  t.strictSame(answer, {
    kind: 'capacity',
    axis: 'connections',
    ratesOf: 'requests',
    capacity: 4,
    interval: [4, null],
    limitingThreshold: null,
    limitedBy: 'maximum asked for',
    reasons: [],
    isConfirmed: true,
    knee: null,
    slo: ['failures == 0', 'accounting.unfinished < 20%'],
    precision: 0.05,
    target: { name: '10.0.0.1', url: 'http://10.0.0.1:80' },
    connections: null,
    warnings: [],
    options: { url: 'http://10.0.0.1:80' },
    begun: 0
  })
  t.same(steps.map(({ connections, phase, duration, passed, keepsUp, verdicts }) => [connections, phase, Math.round(duration), passed, keepsUp, verdicts.map(({ threshold }) => threshold)]),
    runs.map((run) => [...run, true, null, answer.slo]))
  t.strictSame(toldAbout(events, 'run'), runs.map(([connections, phase]) => ({ name: '10.0.0.1', connections, phase })))
  // The closed model doesn't wait for responses at the end of a run.
  t.same(options.map(({ connections, overallRate, duration, drain }) => [connections, overallRate, duration, drain]), runs.map(([connections, , duration]) => [connections, undefined, duration, options[0].drain]))
})

t.test('a search for the rate at which messages jam', async (t) => {
  // Each copy takes the server 1 ms, so messages to two connections take 2 ms: 500/s. At 600/s, message k of 600 waits for k / 3 ms.
  const walled = { websocket: 'broadcast', slots: 1, serviceTime: ({ peer }) => peer.server.openConnections.length }
  const { answer, events, results, options, seconds } = await played((world) => findJamming({ url: world.server(walled).url }, { connections: 2, start: 100, step: 500, maxRate: 600, duration: 1, pause: 0.5, drain: 1, limit: 50 }))
  const good = { sent: 100, p50: 2, p99: 2, mean: 2, max: 2, lastCopyP50: 2, lastCopyP99: 2 }
  const { latency, broadcast: { lastCopy } } = results[1]
  const bad = { sent: 600, p50: latency.p50, p99: latency.p99, mean: latency.mean, max: latency.max, lastCopyP50: lastCopy.p50, lastCopyP99: lastCopy.p99 }
  for (const [name, k] of [['p50', 299], ['p99', 593], ['mean', 299.5], ['max', 599]]) t.ok(Math.abs(bad[name] / (2 + k / 3) - 1) < 0.002, `${name}: ${bad[name]}`)
  const knee = { rate: 600, outgoing: 1200, reason: 'latency' }
  const { levels: [level] } = answer
  t.strictSame(answer, {
    kind: 'jamming',
    levels: [{
      connections: 2,
      baseline: 2,
      points: [[100, good], [600, bad]].map(([rate, times]) => ({ rate, outgoing: 2 * rate, received: 2 * rate, lost: 0, drops: 0, saturated: false, ratio: 1, atLeast: [], reasons: [], ...times })),
      knee,
      failure: null,
      lastGood: { rate: 100, outgoing: 200 },
      // 200 ms of work are left after the jam. At 100/s, a fifth of the time goes to new messages, so it takes 250 ms. The first sample
      // without a message that waited ends 150 ms later.
      recovery: { rate: 100, seconds: 0.4, within: 2 },
      limitedBy: 'server',
      reasons: []
    }],
    threshold: { outgoing: 1200, spread: [1200, 1200] },
    limitedBy: 'server',
    reasons: [],
    payloads: [],
    target: { name: '10.0.0.1', url: 'ws://10.0.0.1:80' },
    limit: 50,
    duration: 1,
    drain: 1,
    warnings: [],
    options: { url: 'ws://10.0.0.1:80', websocket: { expect: 'broadcast' } },
    begun: 0
  })
  t.same(namesOf(events), ['start', 'begin', 'run', 'point', 'begin', 'run', 'point', 'begin', 'run', 'level', 'done'])
  const about = [{ demanded: 100, phase: '2 connections' }, { demanded: 600, phase: '2 connections' }, { phase: '2 connections, recovery' }]
  for (const event of ['begin', 'run']) t.strictSame(toldAbout(events, event), about.map((each) => ({ ...each, name: '10.0.0.1' })))
  t.same(events.filter(([event]) => event === 'point').map(([, [point]]) => plain(point)), level.points)
  t.strictSame(plain(events.at(-2)[1]), [level])
  const shared = { connections: 2, pipelining: 65536, drain: 1, sampleInt: 100, websocket: { expect: 'broadcast' } }
  t.match(options, [
    { ...shared, overallRate: 100, duration: 1, timeout: 2 },
    { ...shared, overallRate: 600, duration: 1, timeout: 2 },
    { ...shared, stages: [{ duration: 1, rate: 600 }, { duration: 2, rate: 100 }], duration: 3, timeout: 4 }
  ])
  // A search goes up to its highest rate at worst, and each rate may be repeated.
  t.ok(seconds > 1 + 1 + 3 && seconds <= events[0][1][0].seconds)
})

// Student's t with one degree of freedom is a Cauchy distribution: the value that it exceeds, on either side, with this probability.
const cauchy = (tail) => Math.tan(Math.PI / 2 * (1 - tail))

t.test('a comparison of servers whose times never vary: the resolution alone makes the intervals', async (t) => {
  const { answer, events, options, seconds } = await played((world) => {
    const [one, other] = [5, 8].map((ms, index) => world.server({ host: `10.0.0.${index + 1}`, serviceTime: ms, answer: ({ number }) => index === 1 && number % 2 === 1 ? 503 : 200 }))
    const load = { connections: 4, overallRate: 100 }
    return compare([{ url: one.url, ...load, seed: 7 }, { url: other.url, ...load, title: 'other' }], { rounds: 2, duration: 1, warmup: 0.25, pause: 0.5, maxRegression: '10%' })
  })
  // Two rounds have one degree of freedom. The 5% are divided among four metrics, and the differences of rounds are correlated.
  const halfWidth = (...steps) => cauchy(0.05 / 4) * Math.sqrt(steps.reduce((sum, step) => sum + step ** 2 / 12 / 2, 0)) * Math.sqrt(1.25)
  // Whole milliseconds may be rounded ones; of 100 requests, one more or less makes 1%.
  const [ofTimes, ofCounts] = [halfWidth(1 / 5, 1 / 8), halfWidth(1 / 100, 1 / 100)]
  const relative = (a, b, width, unit, better) => {
    const ratio = Math.log(b / a)
    return { a, b, unit, better, scale: 'relative', difference: b / a - 1, interval: [Math.expm1(ratio - width), Math.expm1(ratio + width)], smallestDifference: Math.expm1(width), verdict: 'no difference shown' }
  }
  const metrics = {
    throughput: relative(100, 100, ofCounts, '/s', 'higher'),
    p50: relative(5, 8, ofTimes, 'ms', 'lower'),
    p99: relative(5, 8, ofTimes, 'ms', 'lower'),
    errorRate: { a: 0, b: 0.5, unit: 'share', better: 'lower', scale: 'absolute', difference: 0.5, interval: [0.5 - ofCounts, 0.5 + ofCounts], smallestDifference: ofCounts, verdict: 'slower' }
  }
  const checkOf = (metric, changes) => ({ metric, limit: 0.1, smallestDifference: metrics[metric].smallestDifference, verdict: 'inconclusive', passed: false, ...changes })
  const { throughput, p50 } = metrics
  // A third round makes intervals seven times as narrow, because Student's t is so much smaller. That of the times, around 1.6, is 7.3 times
  // as wide as its distance from 1.1.
  const [one, two] = [1, 2].map((rounds) => ({ rounds }))
  const expected = {
    verdict: 'slower',
    metrics,
    regression: {
      verdict: 'failed',
      passed: false,
      checks: [
        checkOf('throughput', { regression: 0, interval: [-throughput.interval[1], -throughput.interval[0]], needed: one }),
        checkOf('p50', { regression: 0.6, interval: p50.interval, needed: two }),
        checkOf('p99', { regression: 0.6, interval: p50.interval, needed: two }),
        // From none to some is infinitely many times as many.
        checkOf('errorRate', { regression: null, interval: [null, null], verdict: 'failed', needed: null })
      ]
    }
  }
  const sides = ['10.0.0.1', 'other'].map((name, index) => ({ name, url: `http://10.0.0.${index + 1}:80`, isSaved: false, runs: 2, statuses: index === 0 ? { 200: 200 } : { 200: 100, 503: 100 } }))
  t.strictSame(rounded(answer), rounded({
    kind: 'comparison',
    ...expected,
    regressionVerdict: 'failed',
    passed: false,
    comparisons: [{ name: 'other', comparedWith: '10.0.0.1', ...expected }],
    sides,
    confidence: 0.95,
    falseAlarmRate: 0.05,
    method: 'paired bootstrap over rounds',
    runs: [0, 1].flatMap((side) => [0, 1].map((round) => ({ side, round, throughput: 100, p50: side === 0 ? 5 : 8, p99: side === 0 ? 5 : 8, errorRate: side === 0 ? 0 : 0.5 }))),
    warnings: [
      { code: 'STATUS_DIFFERS', message: 'other answered 50% of its requests with a status other than 2xx, 10.0.0.1 0%, so they may not have done the same work.' }
    ],
    options: options.slice(0, 2).map(({ title }, index) => ({ url: sides[index].url, connections: 4, overallRate: 100, ...(index === 0 ? { seed: 7 } : { title: 'other' }), duration: 1 })),
    begun: 0
  }))
  const order = [[0, 0], [1, 0], [1, 1], [0, 1]]
  const told = order.map(([target, round]) => ({ target, name: sides[target].name, round }))
  t.strictSame(toldAbout(events, 'begin'), [...sides.map(({ name }) => ({ name, isWarmup: true })), ...told])
  t.strictSame(toldAbout(events, 'run'), told, 'a warm-up is no run')
  t.same(options.map(({ duration, overallRate, connections, seed }) => [duration, overallRate, connections, seed]), [0.25, 0.25, 1, 1, 1, 1].map((duration) => [duration, 100, 4, 7]), 'all with the seed of one')
  t.equal(seconds, 2 * 0.25 + 4 * 1.5)
})

// Numbers that were computed in another order differ in their last digits.
function rounded (value) {
  return JSON.parse(JSON.stringify(value, (key, each) => typeof each === 'number' ? Number(each.toPrecision(9)) : each))
}
