'use strict'

// The conclusions of studies from their runs: each field, each warning and the numbers in it, from runs with known numbers.

const assert = require('node:assert')
const t = require('tap')
const { BY_RATE } = require('../../lib/study/capacity/axes')
const { capacityResult } = require('../../lib/study/capacity/capacity-result')
const { comparisonResult } = require('../../lib/study/compare/comparison-result')
const { judge } = require('../../lib/study/compare/judge')
const { checkRegression, moreToSettle } = require('../../lib/study/compare/regression')
const { warningsOf } = require('../../lib/study/compare/warnings')
const Explorer = require('../../lib/study/capacity/explorer')
const { isGrowing, pointOf, recoveredAfter, whyBad } = require('../../lib/study/jamming/point')
const { jammingResult } = require('../../lib/study/jamming/jamming-result')
const Search = require('../../lib/study/jamming/search')
const run = require('../../lib/run')
const { answeredRate, assess, sustainedRate } = require('../../lib/study/keeping-up')
const { mean, median, varianceOfMean } = require('../../lib/study/statistics/summaries')
const sweep = require('../../lib/study/sweep')
const { targetOf } = require('../../lib/study/sweep/row')
const { simulate } = require('../simulation/world')
const fc = require('../support/fast-check')

const SLO = 'p99 < 100ms'
const REASON = 'the generator was late'
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)
const messageOf = ({ warnings }, code) => warnings.find((warning) => warning.code === code)?.message

const step = (rate, changes) => ({ rate, phase: 'climb', passed: true, missed: [], limitedBy: null, reasons: [], completed: 100, non2xx: 0, sustained: rate, achieved: rate, keepsUp: true, errorPercent: 0, p50: 10, p99: 20, ...changes })
const failing = (rate, limitedBy = 'server') => step(rate, { passed: false, missed: [SLO, 'errors == 0'], limitedBy, reasons: [REASON], keepsUp: false })

function searched (steps, found, { explorer, ...prepared } = {}) {
  return capacityResult({
    steps,
    study: { isStopped: false },
    isOutOfTime: false,
    silence: null,
    idle: { accounting: { sent: 100, completed: 100 } },
    limits: new Map(steps.map((each) => [each, { limitedBy: each.limitedBy, errorsBy: 'server' }])),
    target: { name: 'shop' },
    ...explorer
  }, { low: 100, high: 120, isConfirmed: true, isComplete: true, ...found }, {
    axis: BY_RATE,
    target: { name: 'shop', plan: { url: 'http://a', connections: 7 } },
    bounds: { to: 1000, precision: 0.05 },
    budget: { seconds: 33 },
    slo: [{ threshold: SLO }],
    ratesOf: 'requests',
    warnings: [{ code: 'EARLIER' }],
    ...prepared
  })
}

t.test('a capacity: what was found, and how', async (t) => {
  const steps = [step(100), failing(120)]
  t.match(searched(steps), {
    kind: 'capacity',
    axis: 'rates',
    ratesOf: 'requests',
    capacity: 100,
    interval: [100, 120],
    limitingThreshold: SLO,
    limitedBy: 'server',
    reasons: [],
    isConfirmed: true,
    knee: { name: undefined, rate: 100, beyond: 120, reason: 'rate' },
    steps,
    slo: [SLO],
    precision: 0.05,
    target: { name: 'shop', url: 'http://a' },
    connections: 7,
    seconds: 33,
    warnings: [{ code: 'EARLIER' }]
  })
  t.match(searched([step(500), step(1000)], { low: 1000, high: 1000 }), { limitedBy: 'maximum asked for', limitingThreshold: null, knee: null })
  t.match(searched([step(500), step(1000)], { low: 1000, high: 1000, isComplete: false }), { limitedBy: null })
  t.match(searched([step(500)], { low: 500, high: 1000 }), { limitedBy: null, limitingThreshold: null })
  // The one that failed at the upper end, and the last one there.
  t.match(searched([step(100), { ...failing(120), missed: ['first'] }, failing(160), { ...failing(120), missed: ['second'] }]), { limitingThreshold: 'second' })
})

t.test('a capacity: each warning occurs if and only if it applies, with its numbers', async (t) => {
  const ok = [step(100), failing(120)]
  const only = (result, code, ...words) => {
    t.same(codesOf(result), ['EARLIER', ...[code].flat()])
    for (const word of words) t.match(messageOf(result, [code].flat()[0]), word)
  }
  only(searched(ok), [])
  only(searched(ok, {}, { explorer: { study: { isStopped: true }, isOutOfTime: true } }), 'STOPPED')
  only(searched(ok, {}, { explorer: { isOutOfTime: true } }), 'OUT_OF_TIME')
  only(searched(ok, { isConfirmed: false }), 'NOT_CONFIRMED')
  only(searched(ok, { isConfirmed: false, isComplete: false }), [])
  only(searched([step(100), failing(120, 'generator')]), 'GENERATOR_LIMIT', REASON)
  only(searched([step(100), failing(120, 'connections')]), 'CONNECTIONS_LIMIT', REASON)
  only(searched([step(100), failing(120, 'both')]), 'GENERATOR_SATURATED', REASON)
  only(searched([step(100, { non2xx: 1 }), failing(120)]), [])
  only(searched([step(100, { non2xx: 2 }), failing(120)]), 'OTHER_STATUS', /\b2%/)
  only(searched([step(100, { completed: 8, non2xx: 2 }), step(90, { non2xx: 50 }), failing(120)]), 'OTHER_STATUS', /25%/)
  // The last run at the rate counts.
  only(searched([step(100, { non2xx: 50 }), failing(120), step(100)]), [])
  only(searched([step(60), step(20), failing(120)], { low: 0, high: 120 }), 'NO_CAPACITY', /up to 60 requests per second.* even at 120 .*p99 < 100ms, errors == 0/i)
  only(searched([failing(40)], { low: 0, high: 40 }, { ratesOf: 'sessions' }), 'NO_CAPACITY', /^Even at 40 sessions per second .*p99 < 100ms, errors == 0/)
  const idle = (changes) => ({ explorer: { idle: { accounting: { sent: 1, completed: 0 }, errorCodes: {}, warnings: [], ...changes } } })
  only(searched([failing(40)], { low: 0, high: 40 }, idle({})), 'NO_ANSWER', /^The server did not respond at all\.$/)
  only(searched([failing(40)], { low: 0, high: 40 }, idle({ errorCodes: { EPIPE: { message: 'broken' } } })), 'NO_ANSWER', /EPIPE: broken/)
  only(searched([failing(40)], { low: 0, high: 40 }, idle({ warnings: [{ message: 'One.' }, { message: 'Two.' }] })), 'NO_ANSWER', /One\. Two\.$/)
  t.match(searched([failing(40)], { low: 0, high: 40 }, idle({ accounting: { sent: 0, completed: 0 } })), { limitedBy: null, reasons: [] })
  t.match(searched([failing(40)], { low: 0, high: 40 }, idle({})), { limitedBy: 'server' })
  const gone = failing(120)
  const silence = { step: gone, result: { errorCodes: { ECONNREFUSED: { message: 'nobody' } }, accounting: { sent: 1 } } }
  const left = searched([step(60), step(100), gone], { low: 100, high: null }, { explorer: { silence } })
  only(left, 'SERVER_GONE', /^shop .*120 requests per second \(ECONNREFUSED: nobody\)/)
  t.match(left, { limitedBy: null, limitingThreshold: null, knee: null })
})

t.test('the failed objective is named even if the server disappeared before it could fail again', async (t) => {
  const gone = failing(50)
  const silence = { step: gone, result: { errorCodes: {}, accounting: { sent: 1 } } }
  const { limitingThreshold, interval, limitedBy } = searched([{ ...failing(50), missed: ['errors == 0'] }, gone], { low: 0, high: null, isComplete: false }, { explorer: { silence } })
  t.same({ limitingThreshold, interval, limitedBy }, { limitingThreshold: 'errors == 0', interval: [0, null], limitedBy: 'server' })
})

// Runs of a search, one after the other: the shares of the rate that were answered.
async function probe (...shares) {
  const explorer = new Explorer({ pause: async () => {} }, { target: {}, slo: [], budget: { seconds: 100 } })
  const asked = []
  explorer.run = async (rate, phase) => {
    asked.push([rate, phase])
    const share = shares.shift()
    if (share === undefined) return null
    const made = { passed: share >= 0.99, keepsUp: share >= 0.98, completed: Math.ceil(share * rate) }
    explorer.limits.set(made, { answered: share * rate })
    explorer.steps.push(made)
    return made
  }
  return { passes: await explorer.probe(100, 'climb'), asked, isUnanswered: explorer.isUnanswered }
}

t.test('a rate that fails is tried again, unless it is far beyond the server', async (t) => {
  for (const [shares, passes, runs, isUnanswered = false] of [
    [[1], true, 1],
    [[0.98, 1], true, 2],
    [[0.98, 0.98], false, 2],
    [[0.98], false, 2],
    [[0.9, 1], true, 2],
    [[0.89, 1], false, 1],
    [[0, 1], false, 1, true],
    [[], null, 1]
  ]) {
    const found = await probe(...shares)
    t.same(found, { passes, asked: new Array(runs).fill([100, 'climb']), isUnanswered }, JSON.stringify(shares))
  }
})

t.test('the next run waits for what the previous one left in flight, at most for as long as a drain', async (t) => {
  const { value: result } = await simulate({}, (world) => run({ url: world.server({ serviceTime: 5 }).url, connections: 1, overallRate: 10, duration: 1 }))
  const left = [[0, 5000], [3, 1500], [3, 9000], [0, 5000], [1, 250]]
  const pauses = []
  const study = {
    pause: async (seconds) => pauses.push(seconds),
    measure: async () => {
      const [unfinished, max] = left.shift()
      return { ...result, accounting: { ...result.accounting, unfinished }, latencyWithUnfinished: { ...result.latencyWithUnfinished, max } }
    },
    emit () {}
  }
  const axis = { field: 'rate', optionsFor: () => ({}), seedFor: () => ({}), assess: () => ({ keepsUp: true, sustained: 10 }), limitOf: () => ({ limitedBy: null, reasons: [] }) }
  const explorer = new Explorer(study, { axis, target: { name: 'a', opts: {} }, slo: [], budget: { seconds: 1000, duration: 1, drain: 2, pause: 0.5 } })
  for (let count = 0; count < 5; count++) t.match(await explorer.run(10, 'climb'), { passed: true })
  t.same(pauses, [0.5, 2, 2.5, 0.5])
})

t.test('a knee uses the last run at each rate', async (t) => {
  t.match(searched([step(100), { ...failing(150), keepsUp: false }, step(50), step(150), failing(200)], { low: 150, high: 200 }).knee, { rate: 150, beyond: 200 })
})

t.test('a knee does not depend on the order in which rates were tested', async (t) => {
  t.match(searched([step(100), failing(200), failing(150), step(125)], { low: 125, high: 150 }).knee, { rate: 125, beyond: 150 })
  t.match(searched([step(1000), step(90), failing(2000)], { low: 1000, high: 2000 }).knee, { rate: 1000, beyond: 2000 })
})

// The runs of a side, all equal.
const runs = (count, changes) => Array.from({ length: count }, () => ({
  title: 't', url: 'http://a', duration: 4, timeline: [{}, {}], latency: { totalCount: 100, p50: 10, p90: 20, p99: 30, max: 40 }, requests: { average: 100, total: 100 }, errors: 0, non2xx: 0, generator: { saturated: false }, ...changes
}))
const sideOf = (name, results, isSaved = false) => ({ name, results, isSaved })

t.test('a comparison: the method, what was compared with what, and the confidence', async (t) => {
  const settings = { seed: 1, rounds: 5 }
  const method = (...sides) => comparisonResult(sides.map(([count, isSaved], index) => sideOf(`s${index}`, runs(count), isSaved)), settings, [{ code: 'EARLIER' }], false)
  t.match(method([5, false], [5, false]), { method: 'paired bootstrap over rounds', falseAlarmRate: 0.05, confidence: 0.95 })
  t.match(method([5, true], [5, false]), { method: 'bootstrap over runs', falseAlarmRate: 0.05 })
  t.match(method([5, true], [4, true]), { method: 'bootstrap over runs' })
  t.match(method([1, true], [5, true]), { method: 'block bootstrap within a single run', falseAlarmRate: null, confidence: 0.95 })
  t.match(method([5, false], [5, false], [5, false]), {
    kind: 'comparison',
    comparisons: [{ name: 's1', comparedWith: 's0' }, { name: 's2', comparedWith: 's0' }],
    sides: [{ name: 's0', url: 'http://a', isSaved: false, runs: 5 }, { name: 's1' }, { name: 's2' }],
    warnings: [{ code: 'EARLIER' }]
  })
  t.same(method([2, false], [2, false]).runs.map(({ side, round }) => [side, round]), [[0, 0], [0, 1], [1, 0], [1, 1]])
  t.notOk('regression' in method([5, false], [5, false]))
  const checked = comparisonResult([5, 5, 5].map((count, index) => sideOf(`s${index}`, runs(count, { requests: { average: 100 / (index === 2 ? 2 : 1), total: 100 } }))), { ...settings, maxRegression: { throughput: 0.1 } }, [], false)
  t.match(checked, { regressionVerdict: 'failed', passed: false, regression: { verdict: 'passed' }, comparisons: [{ regression: { verdict: 'passed' } }, { regression: { verdict: 'failed' } }] })
})

t.test('several comparisons share the false alarms of one, and each is that of its own two sides', async (t) => {
  const varied = (factor, count = 8) => runs(count).map((result, index) => ({ ...result, requests: { ...result.requests, average: 100 * factor + [0, 3, 1, 4, 1, 5, 9, 2][index % 8] } }))
  const all = [sideOf('a', varied(1)), sideOf('b', varied(1.1)), sideOf('c', varied(0.8)), sideOf('d', varied(1.05))]
  for (const isSaved of [false, true]) {
    for (const count of [2, 3, 4]) {
      const sides = all.slice(0, count).map((side) => ({ ...side, isSaved }))
      const { comparisons, verdict, metrics } = comparisonResult(sides, { seed: 3, rounds: 8 }, [])
      const expected = sides.slice(1).map(({ name, results }) => ({ name, comparedWith: 'a', ...judge(all[0].results, results, { isPaired: !isSaved, alpha: 0.05 / (count - 1), seed: 3 }) }))
      t.same(comparisons, expected)
      t.same([verdict, metrics], [expected[0].verdict, expected[0].metrics], 'the first one stands for all')
    }
  }
  const widthOf = (count) => comparisonResult(all.slice(0, count), { seed: 3, rounds: 8 }, []).metrics.throughput.smallestDifference
  t.ok(widthOf(2) < widthOf(3) && widthOf(3) < widthOf(4), 'more comparisons detect less')
})

t.test('a comparison: warnings that limit the conclusions, with their numbers', async (t) => {
  const quiet = { metrics: { throughput: { smallestDifference: 0.01 }, p50: { smallestDifference: 0.02 } }, rounds: 5, isStopped: false }
  const warned = (sides, outcome) => ({ warnings: warningsOf(sides, { ...quiet, ...outcome }) })
  const pair = (a = runs(5), b = runs(5)) => [sideOf('one', a), sideOf('two', b)]
  t.same(warned(pair()).warnings, [])
  t.match(messageOf(warned(pair(runs(3), runs(4)), { isStopped: true }), 'STOPPED'), /\b3 of 5\b/)
  t.match(messageOf(warned([sideOf('saved', runs(1), true), ...pair(runs(3), runs(4))], { isStopped: true }), 'STOPPED'), /\b3 of 5\b/)
  t.same(codesOf(warned([sideOf('one', runs(5), true), sideOf('two', runs(5))])), ['NOT_INTERLEAVED'])
  t.match(messageOf(warned(pair(runs(1), runs(5))), 'SINGLE_RUN'), /\bof one, so/)
  t.match(messageOf(warned(pair(runs(1), runs(1))), 'SINGLE_RUN'), /\bof one and two, so/)
  t.match(messageOf(warned(pair(runs(1, { timeline: [{}] }), runs(1))), 'SINGLE_RUN'), /too short/)
  t.match(messageOf(warned(pair(runs(1, { timeline: undefined }), runs(5))), 'SINGLE_RUN'), /too short/)
  t.match(messageOf(warned(pair(runs(5), [...runs(3), ...runs(2, { generator: { saturated: true } })])), 'GENERATOR_SATURATED'), /\b2 of 10 runs/)
  const other = warned(pair(runs(5, { non2xx: 2 }), runs(5, { non2xx: 4 })))
  t.match(messageOf(other, 'STATUS_DIFFERS'), /^two .*\b4%.* one \b2%/)
  t.match(messageOf(warned(pair(runs(5, { non2xx: 4 }), runs(5, { non2xx: 2 }))), 'STATUS_DIFFERS'), /^two .*\b2%.* one \b4%/, 'also if the first one has more of them')
  for (const [one, two] of [[2, 3], [0, 1]]) t.same(warned(pair(runs(5, { non2xx: one }), runs(5, { non2xx: two }))).warnings, [], 'one in a hundred is not more than that')
  t.same(warned(pair(runs(5, { requests: { total: 0 }, stream: { events: 1 } }), runs(5))).warnings, [], 'a result with only events counts as answered')
  const nothing = warned(pair(runs(5), runs(5, { requests: { total: 0 }, accounting: { sent: 9 }, duration: 2, drain: { seconds: 0.5 } })), { metrics: { throughput: { smallestDifference: 5 }, p50: {} } })
  t.same(codesOf(nothing), ['NO_ANSWER'])
  t.match(messageOf(nothing, 'NO_ANSWER'), /^two did not respond at all \(no response arrived within 2\.5 seconds\)/)
  const blunt = (throughput, p50) => messageOf(warned(pair(), { metrics: { throughput: { smallestDifference: throughput }, p50: { smallestDifference: p50 } } }), 'BLUNT')
  t.equal(blunt(0.2, 0.5), undefined)
  t.match(blunt(0.5, 0.21), /below 21%/)
  t.match(blunt(0.34, null), /below 34%/)
  t.match(blunt(998, 1000), /below 99,800%/)
  t.match(blunt(999, 1000), /^Even a 1,000-fold difference would have been too small/)
  t.equal(blunt(null, null), undefined)
})

t.test('the words for a regression, in each direction and on each scale', async (t) => {
  const base = { a: 10, b: 11, better: 'lower', scale: 'relative', difference: 0.1, interval: [0.06, 0.14], smallestDifference: 0.04 }
  const check = (changes, limit = 0.05, measured = { rounds: 10, seconds: null }) => checkRegression({ p50: { ...base, ...changes } }, { p50: limit }, measured).checks[0]
  t.match(check({}), { metric: 'p50', limit: 0.05, regression: 0.1, interval: [0.06, 0.14], smallestDifference: 0.04, verdict: 'failed', passed: false, needed: null })
  t.match(check({ better: 'higher' }), { regression: -0.1, interval: [-0.14, -0.06], passed: true })
  t.match(check({ difference: null }), { regression: null })
  t.match(check({ better: 'higher', interval: [null, -0.2], atLeast: ['b'] }), { interval: [0.2, null], verdict: 'failed' })
  t.match(check({ interval: [null, 0.01] }), { interval: [null, 0.01], passed: true })
  const shares = { scale: 'absolute', a: 0.1, b: 0.15, difference: 0.05, interval: [0.01, 0.09] }
  const near = (found, expected) => t.ok(found.every((end, index) => Math.abs(end - expected[index]) < 1e-9), `${found}`)
  near(check(shares).interval, [0.1, 0.9])
  near([check(shares).regression], [0.5])
  t.match(check({ ...shares, a: 0 }), { regression: null, interval: [null, null], verdict: 'failed' })
  t.match(check({ ...shares, a: 0, interval: [-0.01, 0.09] }), { interval: [0, null], verdict: 'inconclusive' })
  t.match(check({ ...shares, a: 0, b: 0 }), { regression: 0, interval: [0, 0], passed: true })
  t.match(check({ ...shares, b: 0 }), { regression: -1, interval: [-1, -1], passed: true })
  t.match(check({ interval: [-1, null] }), { interval: [0, 0], passed: true }, 'two times below the resolution')
  t.match(check({ interval: [-1, null], atLeast: ['a', 'b'] }), { interval: [-1, null], verdict: 'inconclusive' })
  t.match(check({ interval: [-1, null], better: 'higher' }), { verdict: 'inconclusive' })
  t.match(checkRegression({}, { ttfe: 0.1 }, {}), { verdict: 'inconclusive', checks: [{ metric: 'ttfe', regression: null, interval: null, smallestDifference: null, needed: null }] })
  t.same(checkRegression({ p50: base, p99: base }, { '*': 0.2 }, {}).checks.map(({ metric, passed }) => [metric, passed]), [['p50', true], ['p99', true]])
  t.match(checkRegression({ p50: base }, { '*': 0.2 }, { isUnknown: true }), { verdict: 'inconclusive', passed: false })
  t.match(checkRegression({ p50: base }, { '*': 0.01 }, { isUnknown: true }), { verdict: 'failed' })
})

t.test('the required number of runs depends on how much an interval must narrow', async (t) => {
  const metric = (half, changes) => ({ a: 10, better: 'lower', scale: 'relative', interval: [-half, half].map(Math.expm1), ...changes })
  const limit = (distance) => Math.expm1(distance)
  // Seconds of single runs grow with the square of it.
  t.same(moreToSettle(metric(0.3), limit(0.1), { rounds: null, seconds: 10 }), { seconds: 80 })
  t.same(moreToSettle(metric(0.1), limit(0.1), { rounds: null, seconds: 10 }), { seconds: 1 }, 'at least one')
  t.same(moreToSettle(metric(0.3, { better: 'higher' }), -limit(-0.1), { rounds: null, seconds: 10 }), { seconds: 80 })
  const share = { a: 0.5, better: 'lower', scale: 'absolute', interval: [-0.2, 0.2] }
  t.same(moreToSettle(share, 0.2, { rounds: null, seconds: 10 }), { seconds: 30 })
  t.equal(moreToSettle({ ...share, a: 0 }, 0.2, { rounds: null, seconds: 10 }), null)
  t.same(moreToSettle(share, 0.2, { rounds: 1 }), { rounds: 1 })
  t.same(moreToSettle(share, 0.2, { rounds: 0 }), { rounds: 2 })
  t.same(moreToSettle(share, 0.2, { rounds: 2 }), { rounds: 1 }, "with three values, Student's t is less than a fifth of that with two")
  // Rounds: the first number for which t / sqrt(n) has shrunk enough; for many rounds this also approaches the square.
  const { rounds } = moreToSettle(share, 0.2, { rounds: 400 })
  t.ok(Math.abs(rounds - 1200) < 15, `${rounds} more rounds`)
  t.equal(moreToSettle(metric(0.5), limit(0.001), { rounds: 10 }), null, 'more than anyone would run')
})

t.test('recovery is measured to the millisecond; twice the usual latency counts as recovered', async (t) => {
  const timeline = [[0.1, 90], [0.2, 90], [0.3, 20], [0.4, 21], [0.5, 20], [0.6, 5]].map(([time, p50]) => ({ time, p50, requests: 1 }))
  t.equal(recoveredAfter(timeline, 0.1, { p50: 10, p99: 15 }), 0.4)
  t.equal(recoveredAfter(timeline, 0.1, { p50: 10, p99: 21 }), 0.2, 'or than its slowest hundredth')
  t.equal(recoveredAfter(timeline, 0.1, { p50: 45, p99: 0 }), 0.1)
  t.equal(recoveredAfter(timeline, 0.2, { p50: 45, p99: 0 }), 0.1, 'only what follows')
  t.equal(recoveredAfter(timeline, 0.1, { p50: 1, p99: 1 }), null)
  t.equal(recoveredAfter(timeline.map((sample) => ({ ...sample, requests: 0 })), 0.1, { p50: 100, p99: 1 }), null)
})

t.test('why a jamming step failed: the first applicable reason', async (t) => {
  const accounting = { timedOut: 0, failed: 0, unfinished: 0, unsent: 0 }
  const why = (point, boxes = {}, p50 = 10) => whyBad({ drops: 0, lost: 0, ...point }, { accounting: { ...accounting, ...boxes }, latency: { p50 }, timeline: [], duration: 1 }, 10)
  t.equal(why({}), null)
  t.equal(why({}, {}, 10.001), 'latency')
  t.equal(why({ drops: 1, lost: 1 }, {}, 20), 'connection lost')
  t.equal(why({ lost: 1 }, {}, 20), 'undelivered')
  for (const box of Object.keys(accounting)) t.equal(why({}, { [box]: 1 }, 20), 'undelivered', box)
})

t.test('times that still grow at the end, and those that a stall raised', async (t) => {
  const grows = (medians, limit = 100) => isGrowing({ duration: 8, timeline: medians.map((p50, index) => ({ time: index + 1, requests: p50 === null ? 0 : 1, p50 })) }, limit)
  t.same([
    [1, 10, 20, 30, 40, 50, 60, 70], // overloaded from the start
    [1, 1, 1, 1, 1, 20, 30, 40], // since the middle
    [1, 10, 20, 30, 40, 50, 60, 70, 500, 900], // what arrives after the end doesn't count
    [0, 0, 1, 1, 3, 5, 9, 10] // by a tenth of the limit
  ].map((medians) => grows(medians)), [true, true, true, true])
  t.same([
    [1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 90, 90], // a stall at the end
    [1, 1, 1, 1, 90, 90, 90, 90], // another level, but not higher and higher
    [1, 1, 1, 90, 90, 1, 1, 1], // a stall in the middle
    [1, 1, 1, 1, null, null, 90, 90], // nothing arrived for a quarter
    [0, 0, 1, 1, 3, 5, 9, 9.9], // by less than a tenth of the limit
    []
  ].map((medians) => grows(medians)), Array(7).fill(false))
})

t.test('where messages jam, at all levels and for each payload', async (t) => {
  const level = (outgoing, limitedBy = 'server', payload = null) => ({ payload, knee: outgoing === null ? null : { outgoing }, limitedBy: outgoing === null ? null : limitedBy, reasons: [] })
  const answer = (levels, { payload = null, silence = null, isStopped = false, isOver = true, workers = null } = {}) => jammingResult(
    { levels: levels.map((each) => ({ ...each, reasons: each.limitedBy === 'generator' ? [REASON, `at ${each.knee.outgoing}`] : [] })), silence, study: { isStopped } },
    { settings: { payload, limit: 200, duration: 10, drain: 5 }, target: { name: 'room', plan: { url: 'ws://a', workers } }, warnings: [{ code: 'EARLIER' }] }, isOver)
  t.match(answer([level(1000), level(90), level(200)]), { kind: 'jamming', threshold: { outgoing: 200, spread: [90, 1000] }, limitedBy: 'server', reasons: [], target: { name: 'room', url: 'ws://a' }, limit: 200, duration: 10, drain: 5, payloads: [], warnings: [{ code: 'EARLIER' }] })
  t.match(answer([level(300), level(100)]), { threshold: { outgoing: 200, spread: [100, 300] } })
  t.match(answer([level(null), level(100)]), { threshold: { outgoing: 100 }, limitedBy: 'server' })
  t.match(answer([level(null)]), { threshold: null, limitedBy: 'maximum asked for' })
  t.match(answer([]), { threshold: null, limitedBy: null })
  for (const how of [{ isOver: false }, { isStopped: true }, { silence: { result: { errorCodes: {}, accounting: { sent: 0 } }, rate: 20 } }]) t.equal(answer([level(null)], how).limitedBy, null)
  const mixed = answer([level(300, 'generator'), level(100), level(200)])
  t.match(mixed, { threshold: { outgoing: 150, spread: [100, 200] }, limitedBy: 'server', reasons: [REASON, 'at 300'] })
  t.match(messageOf(mixed, 'GENERATOR_SATURATED'), REASON)
  t.match(answer([level(300, 'generator'), level(100)]), { threshold: { outgoing: 100 }, limitedBy: 'server' }, 'half of them are not most')
  t.match(answer([level(300, 'generator'), level(400, 'generator'), level(90), level(1000)]), { threshold: { outgoing: 545, spread: [90, 1000] }, limitedBy: 'server', reasons: [REASON, 'at 400'] })
  const own = answer([level(300, 'generator'), level(400, 'generator'), level(100)])
  t.strictSame(own.threshold, null)
  t.match(own, { limitedBy: 'generator', reasons: [REASON, 'at 400'] }, 'those of the last level')
  t.match(messageOf(own, 'GENERATOR_LIMIT'), /the generator was late.*use workers/)
  t.match(messageOf(answer([level(300, 'generator')], { workers: 2 }), 'GENERATOR_LIMIT'), /another machine/)
  t.same(answer([level(300, 'server', 10), level(100, 'server', 10), level(50, 'server', 2000), level(90, 'generator', 5)], { payload: [10, 2000, 5] }).payloads, [
    { payload: 10, threshold: { outgoing: 200, spread: [100, 300] }, limitedBy: 'server' },
    { payload: 2000, threshold: { outgoing: 50, spread: [50, 50] }, limitedBy: 'server' },
    { payload: 5, threshold: null, limitedBy: 'generator' }
  ])
  t.same(codesOf(answer([level(100)], { isStopped: true })), ['EARLIER', 'STOPPED'])
  t.same(codesOf(answer([level(100)], { isStopped: true, isOver: false })), ['EARLIER'])
  t.match(messageOf(answer([], { silence: { result: { errorCodes: {}, accounting: { sent: 0 }, messages: {} }, rate: 20 } }), 'SERVER_GONE'), /^room .*20 messages per second \(no message/)
})

// A run of ten samples of a tenth of a second each.
const runOf = (perSample, changes) => ({
  duration: perSample.length / 10,
  latency: { p10: 10, mean: 10 },
  accounting: { completed: 100 },
  rate: { offered: 100, achieved: perSample.reduce((sum, each) => sum + each, 0) / (perSample.length / 10) },
  timeline: perSample.map((requests, index) => ({ time: (index + 1) / 10, requests, sessions: { completed: requests / 5 } })),
  ...changes
})

t.test('a steady-state rate excludes the first third, or the time until the first sessions are over', async (t) => {
  const near = (found, expected) => t.ok(Math.abs(found - expected) < 1e-9, `${found}, should be ${expected}`)
  const late = runOf([0, 0, 0, 10, 10, 10, 10, 10, 10, 10, 10, 10])
  near(sustainedRate(late), 100)
  // Without pauses: 10 calls of 10 ms; with them a session takes 0.75 s.
  const users = (seconds, changes) => runOf([0, 0, 0, 0, 0, 0, 0, 10, 10, 10], {
    sessions: { started: 10, rate: { offered: 20, achieved: 9 }, lifetime: { mean: seconds * 1000 } }, accounting: { completed: 100 }, ...changes
  })
  near(sustainedRate(users(0.75)), 20)
  t.ok(sustainedRate(users(0.1)) < 18, 'the first third was not enough')
  // Time that sessions take longer because their calls had to wait counts for the server: 10 calls, 45 ms more each.
  t.ok(sustainedRate(users(0.75, { latency: { p10: 10, mean: 55 } })) < 18)
  near(answeredRate(users(0.75), 20), Math.max(20 + 1 / 0.25, 9 + 20 * 0.75 + 1))
  near(answeredRate(users(3), 20), 9 + 20 + 1)
  // If only sessions with short waits are over, a session takes at least as long as a call.
  near(answeredRate(users(0.1, { latency: { p10: 200, mean: 400 } }), 20), 9 + 20 * 0.2 + 1)
})

t.test('requests that may be missing at the end of a sample, and no others, do not count against a server', async (t) => {
  const near = (found, expected) => t.ok(Math.abs(found - expected) < 1e-9, `${found}, should be ${expected}`)
  const even = runOf(new Array(10).fill(10))
  // One request may be missing at each end.
  near(answeredRate(even, 100), Math.max(100 + 1.5, 100 + 1 + 1))
  near(answeredRate(runOf(new Array(10).fill(10), { latency: { p10: 100, mean: 100 } }), 100), 100 + 10 + 1)
  t.equal(answeredRate(runOf(new Array(10).fill(0)), 100), 0)
  const edge = answeredRate(even, 100)
  t.equal(assess(even, edge / 0.98 - 0.001 - 4).keepsUp, true)
  t.match(assess(even, 150, { enough: 0.5 }), { keepsUp: true })
  t.match(assess(even, 300, { enough: 0.5 }), { keepsUp: false })
})

t.test('each number of a row is that of the run', async (t) => {
  const statistics = (value) => ({ min: value, max: value + 0.5, average: value + 0.25, mean: value + 0.1, stddev: 0.01, p10: value, p50: value + 0.2, p90: value + 0.3, p99: value + 0.4, p99_9: value + 0.45, totalCount: 100 })
  const stream = { events: 50, rate: 5, timeToFirstEvent: statistics(31), gap: { totalCount: 0 } }
  const row = targetOf('shop', runOf(new Array(10).fill(10), {
    duration: 2,
    requests: statistics(80),
    latency: statistics(100),
    serviceTime: statistics(60),
    timeToFirstByte: statistics(50),
    errors: 4,
    timeouts: 3,
    non2xx: 2,
    statusCodeStats: { 200: { count: 194 }, 503: { count: 2 } },
    accounting: { sent: 300, completed: 196, unsent: 7, unfinished: 8, timedOut: 3 },
    connectionStats: { opened: 11 },
    bytes: { read: 4096, written: 2048 },
    latencyBounds: { count: 1, smallest: 100.42 },
    generator: { saturated: false, reasons: [REASON], eventLoop: { utilization: 0.1, delayP99: 1 } },
    stream
  }), null, { sustained: 100, keepsUp: true })
  t.same(row, {
    name: 'shop',
    achieved: 100,
    sustained: 100,
    keepsUp: true,
    limitedBy: null,
    saturated: false,
    reasons: [REASON],
    requestRate: 150,
    connectionRate: 5.5,
    replyRate: { min: 80, avg: 80.25, max: 80.5, stddev: 0.01 },
    responseTime: 100.1,
    serviceTime: 60.1,
    timeToFirstByte: 50.1,
    p50: 100.2,
    p90: 100.3,
    p99: 100.4,
    p99_9: 100.45,
    // Three timed out, and without histograms the ranks of their times are unknown.
    atLeast: ['responseTime', 'p50', 'p90', 'p99', 'p99_9', 'serviceTime', 'timeToFirstByte', ...['p50', 'p90', 'p99'].map((name) => `stream.timeToFirstEvent.${name}`)],
    netIO: 3,
    errors: 4,
    errorPercent: 2,
    completed: 196,
    unsent: 7,
    unfinished: 8,
    timeouts: 3,
    non2xx: 2,
    failures: 6,
    statuses: { 200: 194, 503: 2 },
    stream: { events: 50, rate: 5, timeToFirstEvent: { p50: 31.2, p90: 31.3, p99: 31.4 }, gap: { p50: null, p90: null, p99: null } }
  })
})

/** A sweep of one simulated server. */
const swept = async (server, settings, optsOf = ({ url }) => ({ url }), use = () => {}) => (await simulate({ seed: 1 }, (world) => {
  const made = world.server(server)
  const study = sweep(optsOf(made, world), { duration: 0.5, pause: 0.05, ...settings })
  use(study, made)
  return study
})).value

t.test('a sweep lists the rates that need an explanation', async (t) => {
  const few = { slots: 50, serviceTime: 20 }
  const twoConnections = ({ url }) => ({ url, connections: 2 })
  const one = await swept(few, { rates: [20, 400] }, twoConnections)
  t.match(messageOf(one, 'CONNECTIONS_LIMIT'), /for 400 requests per second: .*2 connections were busy/)
  const many = await swept(few, { rates: [20, 400, 500, 600] }, twoConnections)
  t.match(messageOf(many, 'CONNECTIONS_LIMIT'), /for 400, 500, 600 requests per second; at 600 .*2 connections/)
  const most = await swept(few, { rates: [20, 400, 410, 420, 430, 440, 450, 460] }, twoConnections)
  t.match(messageOf(most, 'CONNECTIONS_LIMIT'), /for 400, 410, 420, 430, 440 and 2 more requests per second; at 460 /)
  const held = await swept({ serviceTime: 1 }, { rates: [5, 400] }, ({ url }, world) => ({ url, connections: 20, requests: [{ setupRequest (request) { world.hold(10); return request } }] }))
  t.match(messageOf(held, 'GENERATOR_SATURATED'), /at 5, 400 requests per second; at 400 the event loop/)
  t.match(held, { kind: 'sweep', ratesOf: 'requests', stoppedBy: null, duration: 0.5 })
})

t.test('a sweep says why there is no knee', async (t) => {
  const up = await swept({ serviceTime: 1 }, { rates: [20, 40] }, ({ url }) => ({ url, title: 'shop' }))
  t.match(messageOf(up, 'NO_KNEE'), /^Up to 40 requests per second shop shows no knee: sweep higher/)
  const low = await swept({ serviceTime: 100, slots: 1 }, { rates: [50, 100] }, ({ url }) => ({ url, title: 'shop' }))
  t.match(messageOf(low, 'NO_KNEE'), /^Shop did not keep up even with the lowest rate, 50 requests per second: sweep lower/)
  const stopped = await swept({ serviceTime: 1 }, { rates: [20, 40, 60] }, ({ url }) => ({ url, title: 'shop' }), (study) => study.on('row', ({ demanded }) => { if (demanded === 40) study.stop() }))
  t.match(messageOf(stopped, 'NO_KNEE'), /^Up to 40 requests .*: the rates above were not run/)
  t.equal(stopped.stoppedBy, 'stop')
  const none = await swept({ attempt: () => 'refuse' }, { rates: [20, 40] }, ({ url }) => ({ url, title: 'shop' }))
  t.same(codesOf(none).filter((code) => code === 'NO_KNEE'), [])
  t.match(messageOf(none, 'NO_ANSWER'), /^shop did not respond at all \(ECONNREFUSED/)
  t.equal(none.rows.length, 2, 'every rate is tried with one that has never responded')
  const gone = await swept({ serviceTime: 1 }, { rates: [20, 40, 60, 80] }, ({ url }) => ({ url, title: 'shop' }), (study, server) => study.on('row', ({ demanded }) => { if (demanded === 20) server.refuse() }))
  t.match(gone, { stoppedBy: 'no answer', rows: { length: 2 } })
  t.match(messageOf(gone, 'SERVER_GONE'), /^shop stopped responding at 40 requests per second/)
})

t.test('which numbers of a row are only lower bounds', async (t) => {
  const latency = { totalCount: 100, p10: 1, p50: 10, p90: 20, p99: 30, p99_9: 40, max: 50, mean: 12 }
  const atLeastOf = (count, smallest, more) => targetOf('shop', runOf(new Array(10).fill(10), {
    requests: {},
    latency,
    latencyBounds: { count, smallest },
    serviceTime: { totalCount: 0 },
    timeToFirstByte: { totalCount: 0 },
    errors: 0,
    connectionStats: { opened: 1 },
    bytes: { read: 0, written: 0 },
    generator: { saturated: false, reasons: [] },
    ...more
  }), null, { sustained: 100, keepsUp: true }).atLeast
  // More of them than there are values above any of these percentiles.
  t.same(atLeastOf(95, 1), ['responseTime', 'p50', 'p90', 'p99', 'p99_9'])
  t.same(atLeastOf(95, 15), ['responseTime', 'p90', 'p99', 'p99_9'])
  t.same(atLeastOf(95, 25), ['responseTime', 'p99', 'p99_9'])
  t.same(atLeastOf(95, 35), ['responseTime', 'p99_9'])
  t.same(atLeastOf(0, null), [])
  t.same(atLeastOf(95, 1, { accounting: { completed: 0 } }), [])
})

t.test('a jamming step: each number, and which are only lower bounds', async (t) => {
  const result = (changes) => ({
    accounting: { sent: 30, completed: 20, timedOut: 0, failed: 0, unfinished: 0, unsent: 0 },
    broadcast: { received: 50, expected: 60, ratio: 0.83, lastCopy: { totalCount: 20, p50: 7, p99: 9 } },
    connectionStats: { opened: 10, closedByServer: 2, failed: 3 },
    latency: { totalCount: 100, p50: 10, p90: 20, p99: 30, max: 40, mean: 12 },
    latencyBounds: { count: 95, smallest: 15 },
    serviceTime: { p50: 1, totalCount: 1 },
    sendDelay: { client: { mean: 0, p99: 0 }, waiting: { mean: 0, p99: 0 }, causes: { connecting: 0 } },
    connectTime: { mean: 0, dns: { mean: 0 } },
    errorCodes: {},
    errors: 0,
    generator: { saturated: false, reasons: [], eventLoop: { utilization: 0.9, delayP99: 0 } },
    ...changes
  })
  t.strictSame(pointOf(12.5, 8, result(), null), {
    rate: 12.5,
    sent: 30,
    outgoing: 100,
    received: 50,
    p50: 10,
    p99: 30,
    mean: 12,
    max: 40,
    lost: 10,
    drops: 5,
    saturated: false,
    ratio: 0.83,
    lastCopyP50: 7,
    lastCopyP99: 9,
    atLeast: ['p99', 'mean', 'max', 'lastCopyP50', 'lastCopyP99'],
    reasons: []
  })
  const whole = { broadcast: { received: 60, expected: 60, ratio: 1, lastCopy: { totalCount: 0 } }, latencyBounds: { count: 0, smallest: null } }
  t.match(pointOf(1, 8, result(whole), null), { lost: 0, atLeast: { length: 0 }, lastCopyP50: null, lastCopyP99: null })
  t.match(pointOf(1, 8, result({ accounting: { sent: 3, completed: 0 } }), null), { p50: null, p99: null, mean: null, max: null, atLeast: { length: 0 } })
  const busy = pointOf(1, 8, result({ generator: { saturated: false, reasons: [], eventLoop: { utilization: 0.954, delayP99: 0 } } }), null)
  t.match(busy, { saturated: true, reasons: [/busy 95.4% of the time/] })
  t.match(pointOf(1, 8, result({ generator: { saturated: false, reasons: [], eventLoop: { utilization: 0.95, delayP99: 0 } } }), null), { saturated: true })
})

/** A run of a jamming study in which everything was delivered in time, but for what `changes` says. */
function heldRun (serviceTime, changes) {
  return {
    accounting: { sent: 30, completed: 20, timedOut: 0, failed: 0, unfinished: 0, unsent: 0 },
    broadcast: { received: 20, expected: 20, ratio: 1, lastCopy: { totalCount: 20, p50: 7, p99: 9 } },
    connectionStats: { opened: 10, closedByServer: 0, failed: 0 },
    latency: { totalCount: 20, p50: 10 },
    latencyBounds: { count: 0, smallest: null },
    serviceTime: { p50: serviceTime, totalCount: 20 },
    sendDelay: { client: { mean: 0, p99: 0 }, waiting: { mean: 0, p99: 0 }, causes: { connecting: 0 } },
    connectTime: { mean: 0, dns: { mean: 0 } },
    errorCodes: {},
    errors: 0,
    timeline: [],
    duration: 1,
    generator: { saturated: false, reasons: [], eventLoop: { utilization: 0, delayP99: 0 } },
    ...changes
  }
}

t.test('each level of a jamming study is compared with the fastest run at that level', async (t) => {
  const times = [5, 3, 4, 9, 8]
  const idle = []
  const study = { isStopped: false, emit: (event) => { if (event === 'point') idle.push(search.idle.serviceTime.p50) } }
  const search = new Search(study, { target: { name: 'a' }, settings: { limit: 100 } })
  search.hold = async () => heldRun(times.shift())
  await search.climb({ connections: 5, payload: null, rates: [1, 2, 3] })
  await search.climb({ connections: 10, payload: null, rates: [1, 2] })
  t.same(idle, [5, 3, 3, 9, 8])
})

t.test('what a level of a jamming study says is that of its lowest bad rate, and of the rate below, in whatever order they were measured', async (t) => {
  const busy = { generator: { saturated: true, reasons: [], eventLoop: { utilization: 1, delayP99: 0 } } }
  const BAD = {
    latency: { latency: { totalCount: 20, p50: 500 } },
    undelivered: { broadcast: { received: 19, expected: 20, ratio: 0.95, lastCopy: { totalCount: 20, p50: 7, p99: 9 } } },
    'connection lost': { connectionStats: { opened: 10, closedByServer: 1, failed: 0 } }
  }
  const bad = fc.record({ reason: fc.constantFrom(...Object.keys(BAD)), isBusy: fc.boolean() })
  await fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: 9 }), fc.array(bad, { maxLength: 9 }), async (good, bads) => {
    if (good + bads.length === 0) return
    const rates = Array.from({ length: good + bads.length }, (_, index) => 10 * (index + 1))
    const study = { isStopped: false, emit () {} }
    const search = new Search(study, { target: { name: 'a' }, settings: { limit: 100 } })
    const timeAt = (rate) => 100 - rate / 10
    search.hold = async (given, rate) => {
      const [one = null] = bads.slice(Math.max(0, rate / 10 - 1 - good)).filter(() => rate / 10 > good)
      return heldRun(5, one === null ? { latency: { totalCount: 20, p50: timeAt(rate) } } : { ...BAD[one.reason], ...(one.isBusy && busy) })
    }
    const recovered = []
    search.recover = async (level) => { recovered.push(level) }
    await search.climb({ connections: 5, payload: null, rates })
    const [{ points, ...level }] = search.levels
    const [first = null] = bads
    const knee = first && { rate: rates[good], outgoing: 5 * rates[good], reason: first.reason }
    assert.deepStrictEqual(level, {
      connections: 5,
      baseline: points.find(({ rate }) => rate === rates[0]).p50,
      knee,
      failure: first === null || first.reason === 'latency' ? null : knee,
      lastGood: good === 0 ? null : { rate: rates[good - 1], outgoing: 5 * rates[good - 1] },
      recovery: null,
      limitedBy: first === null ? 'maximum asked for' : first.isBusy ? 'generator' : 'server',
      reasons: first?.isBusy ? points.find(({ rate }) => rate === knee.rate).reasons : []
    })
    assert.deepStrictEqual(points.map(({ rate }) => rate), [...new Set(points.map(({ rate }) => rate))].sort((a, b) => a - b))
    assert.strictEqual(recovered.length, good > 0 && level.limitedBy === 'server' ? 1 : 0)
  }), { numRuns: 200 })
})

t.test('the median of an odd and of an even number of values', async (t) => {
  t.equal(median([9, 1, 5]), 5)
  t.equal(median([9, 1, 5, 100]), 7)
  t.equal(mean([1, 2, 6]), 3)
  t.equal(varianceOfMean([1, 2, 6]), 14 / 2 / 3)
})
