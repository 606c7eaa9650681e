'use strict'

// How studies handle bounds, servers that disappear, and what cannot be told. No server is measured here.

const t = require('tap')
const { checkRegression } = require('../../lib/study/compare/regression')
const compare = require('../../lib/study/compare')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const Distribution = require('../../lib/metrics/distribution')
const findCapacity = require('../../lib/study/capacity')
const { assess } = require('../../lib/study/keeping-up')
const { slope } = require('../../lib/study/statistics/summaries')
const sweep = require('../../lib/study/sweep')
const { pastLimit } = require('../../lib/study/sweep/settings')
const { simulate } = require('../simulation/world')

const PAUSE_FREE = { duration: 0.2, pause: 0 }

t.test('the slope of a day of samples is computed quickly', async (t) => {
  const points = Array.from({ length: 86400 }, (_, second) => [second, 250 * second + (second % 7)])
  t.ok(Math.abs(slope(points) - 250) < 0.01)
  t.equal(slope([[0, 0], [1, 5]]), 5)
  const timeline = points.map(([time]) => ({ time: time + 1, requests: 250 }))
  const run = { timeline, duration: 86400, rate: { offered: 250, achieved: 250 }, latency: { p10: 1 } }
  t.match(assess(run, 250), { sustained: 250, keepsUp: true })
  t.match(assess(run, 300), { keepsUp: false })
})

const metric = (changes) => ({ a: 10, b: 11, better: 'lower', scale: 'relative', difference: 0.1, interval: [0.06, 0.14], smallestDifference: 0.04, ...changes })
const errors = (changes) => metric({ scale: 'absolute', a: 0.1, b: 0.1, difference: 0, interval: [-0.001, 0.001], ...changes })
const checked = (given, limit, measured = { rounds: 10, seconds: null }) => checkRegression({ p50: given }, { p50: limit }, measured)
const verdictOf = (...args) => checked(...args).verdict

t.test('a regression check passes if the whole interval is within the limit, and fails if all of it is beyond', async (t) => {
  t.equal(verdictOf(metric(), 0.05), 'failed')
  t.equal(verdictOf(metric(), 0.1), 'inconclusive')
  t.equal(verdictOf(metric(), 0.14), 'passed')
  t.equal(verdictOf(metric({ better: 'higher' }), 0), 'passed', 'an increase of a good metric')
  t.equal(verdictOf(metric({ better: 'higher', interval: [-0.5, -0.3] }), 0.1), 'failed')
  t.equal(verdictOf(metric({ interval: null }), 0.5), 'inconclusive')
  t.equal(verdictOf(metric({ interval: [0.2, null], atLeast: ['b'] }), 0.1), 'failed', 'of a bound the lower end decides')
  t.equal(verdictOf(metric({ interval: [-0.2, null], atLeast: ['b'] }), 0.1), 'inconclusive')
  t.equal(verdictOf(metric({ interval: [-1, null], atLeast: ['a', 'b'] }), 0.1), 'inconclusive')
  t.equal(verdictOf(errors(), 0.05), 'passed', 'one percent of the existing errors')
  t.equal(verdictOf(errors(), 0.0005), 'inconclusive')
  t.equal(verdictOf(errors({ a: 0.001, b: 0.001 }), 0.05), 'passed', 'a tenth of a percentage point at most')
  t.equal(verdictOf(errors({ a: 0.001, b: 0.0015, interval: [0.0001, 0.001], verdict: 'slower' }), 0.2), 'inconclusive', 'but shown to be worse')
  t.equal(verdictOf(errors({ a: 0, b: 0 }), 0), 'passed', 'no errors at all')
  t.equal(verdictOf(errors({ a: 0, b: 0.01, interval: [0.005, 0.015], verdict: 'slower' }), 1), 'failed')
  t.equal(verdictOf(errors({ a: 0, b: 0.01, interval: [-0.005, 0.025] }), 0.02), 'inconclusive')
  const both = checkRegression({ p50: metric(), p99: metric() }, { p50: 0.1, p99: 0.05 }, { rounds: 10, seconds: null })
  t.match(both, { verdict: 'failed', passed: false, checks: [{ passed: false, interval: [0.06, 0.14] }, { verdict: 'failed', needed: null }] })
})

t.test('how much more would settle it', async (t) => {
  const needed = (...args) => checked(...args).checks[0].needed
  const [low, high] = [-0.2, 0.2].map(Math.expm1)
  const wide = metric({ interval: [low, high], difference: 0 })
  const limit = Math.expm1(0.1)
  t.same(needed(wide, limit, { rounds: null, seconds: 20 }), { seconds: 60 }, 'half as wide after four times the runs')
  const { rounds } = needed(wide, limit)
  t.ok(rounds > 10 && rounds <= 30, `about four times as many rounds, ${rounds} more`)
  t.same(needed(metric({ interval: null }), 0.1, { rounds: 1, seconds: null }), { rounds: 1 })
  t.equal(needed(metric({ interval: null }), 0.1), null)
  t.equal(needed(metric({ interval: [0, null], atLeast: ['b'] }), 0.1), null)
  t.equal(needed(wide, 0), null, 'exactly at the limit')
})

// Results of runs in the open model with this many requests, some of them unanswered.
function resultsOf ({ p99, unanswered, smallest = 1 }) {
  return Array.from({ length: 8 }, (_, index) => ({
    duration: 10,
    timeline: [],
    latency: { totalCount: 1000, p50: 10, p90: p99, p99: p99 + index / 100, max: 5000 },
    latencyBounds: { count: unanswered, share: unanswered / 1000, smallest: unanswered > 0 ? smallest : null },
    requests: { average: 100, total: 1000 - unanswered },
    errors: 0,
    non2xx: 0
  }))
}

t.test('a percentile that is only a bound decides in one direction only', async (t) => {
  const of = (a, b) => compareResults([resultsOf(a), resultsOf(b)], { maxRegression: { p99: '5%' } })
  const known = { p99: 50, unanswered: 0 }
  const longer = { p99: 500, unanswered: 100 }
  const shorter = { p99: 5, unanswered: 100 }
  t.match(of(known, longer), { metrics: { p99: { verdict: 'slower', atLeast: ['b'], interval: [Number, null] } }, regressionVerdict: 'failed' })
  t.match(of(known, shorter), { metrics: { p99: { verdict: 'no difference shown', atLeast: ['b'] } }, regressionVerdict: 'inconclusive', passed: false })
  t.match(of(longer, known), { metrics: { p99: { verdict: 'faster', atLeast: ['a'], interval: [-1, Number] } }, regressionVerdict: 'passed' })
  t.match(of(shorter, known), { metrics: { p99: { verdict: 'no difference shown' } }, regressionVerdict: 'inconclusive' })
  t.match(of(longer, longer), { metrics: { p99: { interval: [-1, null], smallestDifference: null } }, regressionVerdict: 'inconclusive' })
  t.notOk('atLeast' in of(known, { ...known, unanswered: 5, smallest: 4000 }).metrics.p99, 'bounds beyond the percentile do not move it')
})

t.test('a side is known only as a lower bound if any of its runs is', async (t) => {
  const whole = resultsOf({ p99: 50, unanswered: 0 })
  const [bounded] = resultsOf({ p99: 50, unanswered: 100 })
  const p99Of = (...sides) => compareResults(sides).metrics.p99
  t.match(p99Of(whole, [...whole.slice(1), bounded]), { atLeast: ['b'], interval: [Number, null] })
  t.match(p99Of([bounded, ...whole.slice(1)], whole), { atLeast: ['a'], interval: [-1, Number] })
  t.notOk('atLeast' in p99Of(whole, whole))
})

t.test('a p99 that may be above its limit is past it', async (t) => {
  const [result] = resultsOf({ p99: 50, unanswered: 100 })
  t.equal(pastLimit({ p99: 200 }, { p99: 50 }, 100, result), 'p99')
  const [known] = resultsOf({ p99: 50, unanswered: 0 })
  t.equal(pastLimit({ p99: 200 }, { p99: 50 }, 100, known), null)
})

t.test('a search whose server disappears ends, with a code and the cause in words', async (t) => {
  const { value: { steps, warnings, limitedBy, capacity } } = await simulate({ seed: 1 }, (world) => {
    const server = world.server()
    const search = findCapacity({ url: server.url, connections: 5 }, { ...PAUSE_FREE, slo: 'errors <= 100%', rates: { from: 20, to: 100000 } })
    let runs = 0
    return search.on('step', () => {
      if (++runs < 2) return
      server.refuse()
      server.resetAll()
    })
  })
  t.same(steps.map(({ rate, completed }) => [rate, completed > 0]), [[20, true], [40, true], [80, false]], 'and no later run')
  t.equal(limitedBy, null)
  t.equal(capacity, 40)
  t.match(warnings.find(({ code }) => code === 'SERVER_GONE').message, /stopped responding at 80 requests per second \(ECONN\w+: .*\)\. The search ended there/)
})

t.test('so does a sweep, and one of a server that never existed names the cause', async (t) => {
  const swept = async (server, rates, use = () => {}) => (await simulate({ seed: 1 }, (world) => {
    const target = world.server(server)
    const study = sweep({ url: target.url, connections: 5 }, { ...PAUSE_FREE, rates })
    use(study, target)
    return study
  })).value
  const gone = await swept({ serviceTime: 1 }, [10, 20, 30, 40, 50], (study, server) => study.once('row', () => {
    server.refuse()
    server.resetAll()
  }))
  t.equal(gone.rows.length, 2)
  t.equal(gone.stoppedBy, 'no answer')
  t.match(gone.warnings.find(({ code }) => code === 'SERVER_GONE').message, /at 20 requests per second \(ECONN/)
  t.ok(gone.rows[1].targets[0].requestRate >= 0, 'a run that ended before its clock began has rates as well')

  const never = await swept({ attempt: () => 'refuse' }, [10, 20])
  t.equal(never.rows.length, 2)
  t.match(never.warnings.map(({ code, message }) => `${code} ${message}`), [/^NO_ANSWER .* did not respond at all \(ECONNREFUSED: /])
})

t.test('no regression check passes without responses', async (t) => {
  const refused = (count) => Array.from({ length: count }, () => {
    const [silent] = resultsOf({ p99: 50, unanswered: 1000 })
    return { ...silent, errors: 0, requests: { average: 0, total: 0, totalCount: 1 }, errorCodes: {} }
  })
  for (const maxRegression of [{ throughput: '100%' }, { errorRate: '100%' }, '100%']) {
    const { regression, passed } = compareResults([refused(20), refused(20)], { maxRegression })
    t.equal(passed, false)
    t.notOk(regression.checks.some(({ passed }) => passed), JSON.stringify(maxRegression))
    t.match(regression, { verdict: 'inconclusive', checks: [{ verdict: 'inconclusive', needed: null }] })
  }
})

t.test('a comparison with a side that never responded says so', async (t) => {
  const [silent] = resultsOf({ p99: 50, unanswered: 1000 })
  const nothing = { ...silent, title: 'b', requests: { average: 0, total: 0 }, errorCodes: { ECONNREFUSED: { count: 1, message: 'connect ECONNREFUSED' } } }
  const { warnings } = compareResults([resultsOf({ p99: 50, unanswered: 0 }), [nothing]])
  t.match(warnings.find(({ code }) => code === 'NO_ANSWER').message, /^b did not respond at all \(ECONNREFUSED: connect ECONNREFUSED\)/)
  t.notOk(warnings.some(({ code }) => code === 'BLUNT'), 'another round would not help')
})

t.test('a server that answers some requests sooner and others never is not called faster, in either model', async (t) => {
  const event = (text) => `data: ${text}\n\n`
  const steady = { serviceTime: () => 20, answer: { pieces: [[10, event('a')], [20, event('b')], [30, event('c')]] } }
  const hangs = { pieces: [[5, event('a')], [10, event('b')]], endAfter: 1e9 }
  const hasty = { serviceTime: () => 10, answer: ({ number }) => number % 3 === 2 ? hangs : { pieces: [[5, event('a')], [10, event('b')], [15, event('c')]] } }
  for (const load of [{ connections: 10 }, { connections: 40, overallRate: 100 }]) {
    const { value: { verdict, metrics, regression, passed } } = await simulate({ seed: 1 }, (world) => {
      const [a, b] = [steady, hasty].map((settings, index) => world.server({ host: `10.0.0.${index + 1}`, ...settings }))
      const opts = { ...load, stream: true, timeout: 0.3 }
      return compare([{ url: a.url, ...opts }, { url: b.url, ...opts }], { rounds: 4, duration: 1, warmup: 0, pause: 0, maxRegression: { p99: '5%', gapP99: '5%', firstEventP99: '50%' } })
    })
    t.not(verdict, 'faster')
    for (const name of ['p99', 'gapP99']) {
      t.match(metrics[name], { atLeast: ['b'], interval: [Number, null] }, name)
      t.not(metrics[name].verdict, 'faster', name)
    }
    t.match(metrics.firstEventP99, { verdict: 'faster' }, 'each stream had its first event')
    t.notOk('atLeast' in metrics.firstEventP99)
    t.same(regression.checks.map(({ metric, passed }) => [metric, passed]), [['p99', false], ['gapP99', false], ['firstEventP99', true]])
    t.equal(passed, false)
  }
})

function encoded (count, ms = 0) {
  const distribution = new Distribution()
  if (count > 0) distribution.record(Math.round(ms * 1000), count)
  return distribution.encode()
}

t.test('a side with missing values is compared by its lower bound', async (t) => {
  const closed = ({ p50, count, smallest }) => Array.from({ length: 8 }, (_, index) => ({
    duration: 10,
    timeline: [],
    latency: { totalCount: 100, p50: p50 + index / 100, p99: p50 + index / 100, max: p50 + index / 100, total: 100 * p50 },
    histograms: { latency: encoded(100, p50 + index / 100), latencyMissing: encoded(count, smallest) },
    missing: count === 0 ? {} : { latency: { count, smallest, largest: smallest, total: count * smallest } },
    requests: { average: 100, total: 100 },
    errors: 0,
    non2xx: 0
  }))
  const of = (a, b) => compareResults([closed(a), closed(b)], { maxRegression: { p50: '5%' } })
  // A hundred that were lost after 1 ms, and might have taken no longer.
  const { metrics: { p50 }, regressionVerdict } = of({ p50: 10, count: 0 }, { p50: 50, count: 100, smallest: 1 })
  t.match(p50, { b: 1, atLeast: ['b'], verdict: 'no difference shown' })
  t.equal(regressionVerdict, 'inconclusive')
  t.equal(of({ p50: 10, count: 0 }, { p50: 50, count: 100, smallest: 1000 }).metrics.p50.verdict, 'slower')
  t.equal(of({ p50: 10, count: 0 }, { p50: 5, count: 10, smallest: 1 }).metrics.p50.verdict, 'faster', 'a tenth of them does not move the median')
})

t.test('rows of a sweep mark all times that are unknown', async (t) => {
  const { value: { rows: [{ targets: [{ atLeast, stream }] }] } } = await simulate({ seed: 1 }, (world) => {
    const hangs = { pieces: [[5, 'data: a\n\n'], [10, 'data: b\n\n']], endAfter: 1e9 }
    const server = world.server({ answer: ({ number }) => number % 3 === 2 ? hangs : { pieces: hangs.pieces } })
    return sweep({ url: server.url, connections: 30, stream: true, timeout: 0.3 }, { rates: [50], duration: 1, pause: 0 })
  })
  t.equal(stream.gap.p99, 5)
  t.same(atLeast, ['responseTime', 'p90', 'p99', 'p99_9', 'serviceTime', 'stream.gap.p90', 'stream.gap.p99'])
})
