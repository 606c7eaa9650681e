'use strict'

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const run = require('../../lib/run')
const compare = require('../../lib/study/compare')
const { judge } = require('../../lib/study/compare/judge')
const { METRICS, blocksOf, rowOf } = require('../../lib/study/compare/metrics')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const { simultaneousIntervals } = require('../../lib/study/statistics/intervals')
const { machine, runOn, rounds } = require('./fixtures/simulated')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

const QUICK = { rounds: 4, duration: 0.1, warmup: 0.05 }
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

t.test('two servers run in rounds, A B B A A B B A, after a warm-up of each', async (t) => {
  const order = []
  const told = []
  const { value: result } = await simulate({}, (world) => {
    const [a, b] = ['a', 'b'].map((name, index) => world.server({
      host: `10.0.0.${index + 1}`,
      serviceTime: 1,
      answer () {
        if (order.at(-1) !== name) order.push(name)
        return 200
      }
    }))
    const study = compare([{ url: a.url, connections: 1 }, { url: b.url, connections: 1, title: 'the other' }], { ...QUICK, pause: 0.01 })
    t.ok(Math.abs(study.seconds - (2 * 0.05 + 8 * 0.11)) < 1e-9, 'the duration is announced')
    return study.on('run', (result, { target, name, round }) => told.push([target, name, round, typeof result.latency.p99]))
  })
  t.same(order, ['a', 'b', 'a', 'b', 'a', 'b', 'a'], 'warm-ups a b, then a bb aa bb a')
  t.same(told.map(([target]) => target), [0, 1, 1, 0, 0, 1, 1, 0])
  t.same(told[1], [1, 'the other', 0, 'number'])
  t.match(result, { kind: 'comparison', confidence: 0.95, falseAlarmRate: 0.05, method: 'paired bootstrap over rounds' })
  t.equal(result.runs.length, 8)
  t.same(result.sides.map(({ name, runs, isSaved }) => [name, runs, isSaved]), [['10.0.0.1', 4, false], ['the other', 4, false]])
  t.same(JSON.parse(JSON.stringify(result.metrics)), result.metrics, 'plain data')
})

/** A comparison of servers of a simulated world, one for each of the service times, ms. */
async function compared (times, settings, itemsOf = (urls) => urls.map((url) => ({ url, connections: 5 }))) {
  const { value } = await simulate({ seed: 4 }, (world) => {
    const servers = times.map((ms, index) => world.server({ host: `10.0.0.${index + 1}`, serviceTime: () => ms * (0.95 + 0.1 * world.random.next()) }))
    return compare(itemsOf(servers.map(({ url }) => url)), settings)
  })
  return value
}

t.test('half a percent is a difference between times that are always the same', async (t) => {
  const verdictOf = async (times) => {
    const { value } = await simulate({}, (world) => compare(times.map((serviceTime, index) => ({ url: world.server({ host: `10.0.0.${index + 1}`, serviceTime }).url, connections: 2 })), { ...QUICK, duration: 1 }))
    return value.comparisons[0].metrics.p50.verdict
  }
  t.same([await verdictOf([50.3, 50.55]), await verdictOf([50.55, 50.3]), await verdictOf([50.3, 50.3])], ['slower', 'faster', 'no difference shown'])
})

t.test('a server that is five times slower is slower by that factor', async (t) => {
  const settings = { ...QUICK, rounds: 5, duration: 0.3 }
  const { verdict, metrics } = await compared([5, 25], settings)
  const { throughput, p50, errorRate } = metrics
  for (const each of [verdict, throughput.verdict, p50.verdict]) t.equal(each, 'slower')
  t.equal(errorRate.verdict, 'no difference shown')
  t.ok(Math.abs(throughput.difference + 0.8) < 0.03, `throughput ${throughput.difference}`)
  t.ok(Math.abs(p50.difference - 4) < 0.1, `p50 ${p50.difference}`)
  for (const { a, b, difference, interval: [low, high] } of [throughput, p50]) {
    t.ok(low <= difference && difference <= high)
    t.ok(Math.abs(b / a - 1 - difference) < 1e-9, 'the difference is that of the two values')
  }
  t.equal((await compared([25, 5], settings)).verdict, 'faster', 'the other way round')
})

t.test('the verdict on each metric, and on all of them', async (t) => {
  const verdicts = (change, base = {}) => {
    const [first, second] = rounds(machine(8), 10, [base, {}])
    const { verdict, metrics } = judge(first, second.map(change), { isPaired: true, alpha: 0.05, seed: 1 })
    return [verdict, ...Object.values(metrics).map((metric) => metric.verdict)]
  }
  const none = 'no difference shown'
  const times = (throughput, p50, p99) => (result) => ({
    ...result,
    requests: { ...result.requests, average: result.requests.average * throughput },
    latency: { ...result.latency, p50: result.latency.p50 * p50, p99: result.latency.p99 * p99 }
  })
  t.same(verdicts(times(1, 1, 1)), [none, none, none, none, none])
  t.same(verdicts(times(2, 0.5, 0.5)), ['faster', 'faster', 'faster', 'faster', none])
  t.same(verdicts(times(0.5, 2, 2)), ['slower', 'slower', 'slower', 'slower', none])
  t.same(verdicts(times(2, 1, 2)), ['mixed', 'faster', none, 'slower', none])
  t.same(verdicts((result) => ({ ...result, errors: 50000 })), ['slower', none, none, none, 'slower'])
  t.same(verdicts((result) => ({ ...result, errors: 0 }), { errors: 50000 }), ['faster', none, none, none, 'faster'])
})

t.test('a side that never responds is slower, and has no latency', async (t) => {
  const [first, second] = rounds(machine(3), 5)
  const dead = second.map((result) => ({
    ...result, requests: { average: 0, total: 0 }, errors: 100, latency: { p50: 0, p99: 0, totalCount: 0 }
  }))
  const { verdict, metrics } = judge(first, dead, { isPaired: true, alpha: 0.05, seed: 1 })
  t.equal(verdict, 'slower')
  t.match(metrics, { throughput: { b: 0, difference: -1, verdict: 'slower' }, p50: { b: null, difference: null, interval: null, verdict: 'no difference shown' }, errorRate: { b: 1, verdict: 'slower' } })
})

t.test('a side that never responds gets no invented throughput', async (t) => {
  const [first, second] = rounds(machine(3), 5)
  const none = (result) => ({ ...result, requests: { average: 0, total: 0 }, errors: 100, latency: { p50: 0, p99: 0, totalCount: 0 } })
  const { metrics: { throughput, errorRate } } = await compare([first.map(none), second])
  t.match(throughput, { a: 0, difference: null, interval: [Number, null], verdict: 'faster' }, 'the ratio has no upper bound')
  t.ok(throughput.interval[0] > 1000)
  t.match(errorRate, { a: 1, verdict: 'faster' })
  const { metrics, runs } = await compare([first, second.map(none)], { maxRegression: '5%' })
  t.match(metrics.throughput, { b: 0, difference: -1, interval: [-1, Number] })
  t.ok(metrics.throughput.interval[1] < -0.9)
  t.same(runs.filter(({ side }) => side === 1).map((each) => each.throughput), [0, 0, 0, 0, 0])
  const dead = await compare([first.map(none), second.map(none)])
  t.match(dead.metrics.throughput, { a: 0, b: 0, difference: 0, interval: [-1, null], verdict: 'no difference shown' })
  const flaky = await compare([first, second.map((result, round) => round === 2 ? none(result) : result)])
  const { a, b, difference, interval: [low, high] } = flaky.metrics.throughput
  const expected = second.reduce((sum, { requests }, round) => sum + (round === 2 ? 0 : requests.average), 0) / 5
  t.ok(Math.abs(b - expected) < 1e-6, 'with a zero, the average')
  t.ok(Math.abs(b / a - 1 - difference) < 1e-9)
  t.ok(low <= difference && difference <= high)
})

t.test('shares differ by at most 100 points', async (t) => {
  const [first, second] = rounds(machine(3), 2)
  const failing = second.map((result, round) => ({ ...result, requests: { ...result.requests, total: 100 }, errors: round * 1000 }))
  const { metrics: { errorRate } } = await compare([first, failing])
  t.same(errorRate.interval, [-1, 1])
  t.equal(errorRate.smallestDifference, 1)
})

t.test('a median of 0 ms means below the resolution, and is compared as such', async (t) => {
  const [first, second] = rounds(machine(3), 8)
  const whole = (p50) => (result) => ({ ...result, latency: { ...result.latency, p50, p90: 3, p99: 5, max: 9 } })
  const comparedMedians = async (a, b) => (await compare([a, b], { maxRegression: { p50: '5%' } }))
  const before = first.map(whole(0))
  const same = await comparedMedians(before, second.map(whole(0)))
  t.match(same.metrics.p50, { a: 0, b: 0, difference: 0, interval: [-1, null], verdict: 'no difference shown' })
  t.equal(same.passed, true)
  const finer = await comparedMedians(before, second)
  t.match(finer.metrics.p50, { a: 0, difference: null, interval: [-1, null], verdict: 'no difference shown' }, 'half a millisecond may or may not be a difference')
  t.equal(finer.passed, true)
  const slower = await comparedMedians(before, second.map(whole(5)))
  t.match(slower.metrics.p50, { a: 0, difference: null, interval: [Number, null], verdict: 'slower' })
  t.ok(slower.metrics.p50.interval[0] > 1, 'in any case it is more than twice one millisecond')
  t.match(slower, { passed: false, regression: { checks: [{ regression: null }] } })
  const faster = await comparedMedians(second.map(whole(5)), before)
  t.match(faster.metrics.p50, { difference: -1, interval: [-1, Number], verdict: 'faster' })
  t.equal(faster.passed, true)
})

t.test('one run on either side widens the intervals by a quarter, and a bound on one side leaves the smallest difference known', async (t) => {
  const runs = [1, 2, 3, 4].map((seed) => runOn(machine(seed), { seconds: 60 }))
  const none = METRICS.map(() => 0)
  for (const [first, second] of [[runs.slice(0, 1), runs.slice(1)], [runs.slice(1), runs.slice(0, 1)]]) {
    const groups = [[1, second], [-1, first]].map(([sign, results]) => {
      return { sign, rows: results.length === 1 ? blocksOf(results[0], none, METRICS) : results.map((result) => rowOf(result, none, METRICS)) }
    })
    // The resolution of the times, which is not part of these, matters little here.
    const [{ halfWidth }] = simultaneousIntervals(groups, { floors: none, alpha: 0.05, wider: 1.25, seed: 1 })
    const { metrics: { throughput: { smallestDifference } } } = judge(first, second, { isPaired: false, alpha: 0.05, seed: 1 })
    t.ok(Math.abs(Math.log1p(smallestDifference) / halfWidth - 1) < 0.02, `${Math.log1p(smallestDifference)}, expected ${halfWidth}`)
  }
  const [first, second] = rounds(machine(3), 5)
  const bounded = second.map((result) => ({ ...result, latencyBounds: { count: 1, smallest: result.latency.p99 } }))
  const p99Of = (...sides) => judge(...sides, { isPaired: true, alpha: 0.05, seed: 1 }).metrics.p99
  t.match(p99Of(first, bounded), { atLeast: ['b'], smallestDifference: Number, interval: [Number, null] })
  t.match(p99Of(bounded, bounded), { atLeast: ['a', 'b'], smallestDifference: null, interval: [-1, null] })
})

t.test('what would settle a check: more rounds, or for single runs more seconds', async (t) => {
  const neededBy = (first, second) => compareResults([first, second], { maxRegression: { p50: '0.1%' } }).regression.checks[0].needed
  const [first, second] = rounds(machine(3), 5)
  t.match(neededBy(first, second), { rounds: Number, seconds: undefined })
  t.match(neededBy([runOn(machine(1), { seconds: 60 })], [runOn(machine(1), { seconds: 60 })]), { seconds: Number, rounds: undefined })
  // The length of a single run counts, not that of the runs of a side that has several; of two single ones, that of the shorter one.
  const single = runOn(machine(1), { seconds: 60 })
  const secondsBy = (first, second) => neededBy(first, second).seconds
  const longer = { ...single, duration: 600 }
  t.equal(secondsBy([single], [{ ...single, duration: 6 }, single]), secondsBy([single], [{ ...single, duration: 60 }, single]))
  t.equal(secondsBy([longer], [single]), secondsBy([single], [single]))
  t.equal(secondsBy([single], [{ ...single, duration: undefined }]), 1, 'a result may lack its duration')
})

t.test('what is said of a run counts sets of options, also among saved results, and rounds', async (t) => {
  const about = []
  await simulate({}, (world) => {
    const { url } = world.server({ serviceTime: 1 })
    const saved = runOn(machine(1), { seconds: 5 })
    return compare([saved, { url, title: 'a' }, [saved, saved], { url, title: 'b' }], { ...QUICK, rounds: 2 })
      .on('begin', (instance, each) => about.push(each))
  })
  t.same(about.filter(({ isWarmup }) => isWarmup).map(({ name }) => name), ['a', 'b'], 'each is warmed up once')
  t.same(about.filter(({ isWarmup }) => !isWarmup), [{ target: 0, name: 'a', round: 0 }, { target: 1, name: 'b', round: 0 }, { target: 1, name: 'b', round: 1 }, { target: 0, name: 'a', round: 1 }])
})

t.test('each side keeps the seed that it has been given', async (t) => {
  const seeds = []
  await simulate({}, (world) => {
    const { url } = world.server({ serviceTime: 1 })
    return compare([{ url, seed: 5, title: 'a' }, { url, seed: 6, title: 'b' }], { ...QUICK, rounds: 2 }).on('run', ({ options }) => seeds.push(options.seed))
  })
  t.same(seeds, [5, 6, 6, 5])
})

t.test('saved results: single ones state how little they know', async (t) => {
  const [before, after] = [runOn(machine(1), { seconds: 60 }), runOn(machine(2), { seconds: 60, slower: 2 })]
  const result = await compare([before, JSON.parse(JSON.stringify(after))])
  t.equal(result.verdict, 'slower')
  t.match(result, { method: 'block bootstrap within a single run', falseAlarmRate: null })
  t.same(codesOf(result), ['SINGLE_RUN', 'NOT_INTERLEAVED'])
  t.match(result.warnings[0].message, /no false alarm rate can be given/)
  t.ok(Math.abs(result.metrics.throughput.a - before.requests.average) < 1e-6 * before.requests.average)

  const short = await compare([runOn(machine(1), { seconds: 1 }), runOn(machine(2), { seconds: 60, slower: 2 })])
  t.equal(short.verdict, 'no difference shown')
  t.equal(short.metrics.throughput.interval, null)
  t.match(short.warnings[0].message, /too short/)
  t.equal((await compare([{ ...before, timeline: undefined }, after])).verdict, 'no difference shown', 'a result of autocannon has no timeline')
})

t.test('saved results: several on each side have a stated false alarm rate', async (t) => {
  const state = machine(4)
  const runs = (server) => Array.from({ length: 6 }, () => runOn(state, server))
  const result = await compare([runs(), runs({ slower: 2 })])
  t.match(result, { verdict: 'slower', method: 'bootstrap over runs', falseAlarmRate: 0.05 })
  t.same(codesOf(result), ['NOT_INTERLEAVED'])
})

t.test('a saved result compared with a live run', async (t) => {
  const { value: before } = await simulate({}, (world) => run({ url: world.server({ serviceTime: 3 }).url, connections: 5, duration: 0.5, sampleInt: 50 }))
  const result = await compared([30], { ...QUICK, duration: 0.3, maxRegression: '5%' }, ([url]) => [before, { url, connections: 5 }])
  t.equal(result.verdict, 'slower')
  t.same(result.sides.map(({ isSaved, runs }) => [isSaved, runs]), [[true, 1], [false, 4]])
  t.equal(result.passed, false)
})

t.test('maxRegression: fails if a larger loss is shown', async (t) => {
  const state = machine(4)
  const runs = (server) => Array.from({ length: 8 }, () => runOn(state, server))
  const of = (a, b, maxRegression) => compare([runs(a), runs(b)], { maxRegression })
  const twice = await of({}, { slower: 2 }, '5%')
  t.equal(twice.passed, false)
  t.same(twice.regression.checks.map(({ metric, passed }) => [metric, passed]), [['throughput', false], ['p50', false], ['p99', false], ['errorRate', true]])
  const [{ regression, limit }] = twice.regression.checks
  t.ok(regression > 0.4 && regression < 0.6, 'half of the throughput is lost')
  t.equal(limit, 0.05)
  t.equal((await of({}, { slower: 2 }, 0.6)).regression.checks[0].passed, true, 'an allowed loss')
  t.equal((await of({ slower: 2 }, {}, '5%')).passed, true, 'a gain')
  const same = await of({}, {}, 0)
  t.equal(same.passed, false)
  t.match(same, { regressionVerdict: 'inconclusive', regression: { verdict: 'inconclusive' } }, 'a difference that may be noise has neither passed nor failed')
  t.same(same.regression.checks.map(({ verdict }) => verdict), ['inconclusive', 'inconclusive', 'inconclusive', 'inconclusive'])
  t.match(await of({}, {}, '50%'), { passed: true, regressionVerdict: 'passed' }, 'a difference shown to be within the limit has passed')
  t.match((await of({}, { slower: 2 }, { p50: '100%', throughput: '90%' })).regression.checks.map(({ metric }) => metric), ['p50', 'throughput'])
  t.equal((await of({}, { errors: 50000 }, { errorRate: '5%' })).passed, false)
  t.notOk('passed' in await of({}, {}, undefined))
  const short = () => runOn(state, { seconds: 1 })
  t.match(await compare([short(), short()], { maxRegression: { p50: '50%' } }), { passed: false, regressionVerdict: 'inconclusive' }, 'an unknown difference has not passed')
})

t.test('a server that answers 500 to everything is not faster, and passes no check', async (t) => {
  const { value: result } = await simulate({ seed: 4 }, (world) => {
    const spread = (ms) => () => ms * (0.95 + 0.1 * world.random.next())
    const good = world.server({ host: '10.0.0.1', serviceTime: spread(10) })
    const broken = world.server({ host: '10.0.0.2', serviceTime: spread(2), answer: 500 })
    return compare([{ url: good.url, connections: 5, title: 'good' }, { url: broken.url, connections: 5, title: 'broken' }], { ...QUICK, rounds: 5, maxRegression: { p99: '10%' } })
  })
  const { verdict, metrics: { p50, errorRate }, sides } = result
  t.equal(verdict, 'mixed')
  t.equal(p50.verdict, 'faster')
  t.match(errorRate, { a: 0, b: 1, difference: 1, verdict: 'slower' })
  t.match(result, { passed: false, regressionVerdict: 'inconclusive' }, 'its fast responses are failures')
  t.same(sides.map(({ statuses }) => Object.keys(statuses)), [['200'], ['500']])
  const runs = rounds(machine(3), 5)[0]
  const failing = (of) => runs.map((each) => ({ ...each, non2xx: of(each), '5xx': of(each) }))
  const all = failing(({ requests }) => requests.total)
  t.match(compareResults([runs, all], { maxRegression: '50%' }), { passed: false, regressionVerdict: 'failed' })
  t.match(compareResults([all, all], { maxRegression: '50%' }), { metrics: { errorRate: { a: 1, b: 1, difference: 0 } } }, 'which is no difference if both do')
  const redirects = runs.map((each) => ({ ...each, non2xx: each.requests.total, '3xx': each.requests.total }))
  t.equal(compareResults([runs, redirects]).metrics.errorRate.b, compareResults([runs, runs]).metrics.errorRate.b, 'redirects are not failures')
})

t.test('warnings about what limits the conclusions', async (t) => {
  const [first, second] = rounds(machine(3), 5)
  const saturated = second.map((result) => ({ ...result, generator: { saturated: true } }))
  t.match((await compare([first, saturated])).warnings.find(({ code }) => code === 'GENERATOR_SATURATED'), { message: /^In 5 of 10 runs/ })
  const refusing = second.map((result) => ({ ...result, non2xx: result.requests.total }))
  t.match((await compare([first, refusing])).warnings.find(({ code }) => code === 'STATUS_DIFFERS'), { message: /answered 100% of its requests with a status other than 2xx/ })
  const few = rounds(machine(3), 2)
  t.match((await compare(few)).warnings.find(({ code }) => code === 'BLUNT'), { message: /^Differences below .* were too small to detect/ })
  const wild = few.map((results) => results.map((result, round) => {
    return { ...result, requests: { ...result.requests, average: 20 ** round }, latency: { ...result.latency, p50: 20 ** round + 0.001 } }
  }))
  t.match((await compare(wild)).warnings.find(({ code }) => code === 'BLUNT'), { message: /^Even a 1,000-fold difference would have been too small to detect/ })
})

t.test('stop() ends it with the complete rounds', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const { url } = world.server({ serviceTime: 1 })
    const study = compare([{ url }, { url }], { rounds: 1000, duration: 0.05, warmup: 0 })
    let runs = 0
    return study.on('run', () => { if (++runs === 5) study.stop() })
  })
  t.same(result.sides.map(({ runs }) => runs), [2, 2])
  t.ok(codesOf(result).includes('STOPPED'))

  const controller = new AbortController()
  controller.abort()
  const url = 'http://127.0.0.1:1'
  const none = await compare([{ url }, { url }], { signal: controller.signal })
  t.match(none, { verdict: 'no difference shown', metrics: { throughput: { a: null, b: null, interval: null } } })
})

t.test('invalid input is one sentence, before anything is sent', async (t) => {
  const server = await httpServer(t)
  const { url } = server
  const good = runOn(machine(1))
  const bad = [
    [undefined, {}, /two or more/], [[], {}, /two or more/], [[{ url }], {}, /two or more/], [{ url }, {}, /two or more/],
    [[{ url }, {}], {}, /url or socketPath option required/], [[{ url }, 5], {}, /must be an object/], [[{ url }, null], {}, /must be an object/],
    [[{ url }, { url, duration: 'soon' }], {}, /duration/], [[{ url }, { url, forever: true }], {}, /forever cannot be given here/],
    [[{ url }, { url }], { rounds: 0 }, /rounds must be a whole number, 1 or more/], [[{ url }, { url }], { duration: 0 }, /duration must be greater than 0/],
    [[{ url }, { url }], { maxRegression: '5 %%' }, /maxRegression/], [[{ url }, { url }], { maxRegression: { p98: 1 } }, /maxRegression\.p98 must be one of/],
    [[{ url }, { url }], 5, /the settings must be an object/]
  ]
  for (const [items, settings, message] of bad) await t.rejects(compare(items, settings), { code: CODES.BAD_OPTION, message })
  const noResults = [[good, []], [good, [{}]], [good, [5]], [good, { kind: 'sweep', rows: [] }], [good, { latency: {} }], [good, { ...good, requests: {} }]]
  for (const items of noResults) await t.rejects(compare(items), { code: CODES.BAD_RESULT, message: /^Item 2 of what is compared is not the result of a run: it / })
  await t.rejects(compare([{ url }, { url, thresholds: 'foo < 5' }]), { code: CODES.BAD_THRESHOLD, target: 1 })
  t.equal(server.connections, 0)
  t.match(await compare([good, good], { round: 5 }), { warnings: [{ code: 'UNKNOWN_OPTION', message: /did you mean 'rounds'\?/ }] })
})
