'use strict'

// Answers of studies: as many targets, rows, levels, rounds and sides as there may be, with ties, gaps and parts that are not there.

const { Dice, MOMENT, count, counts, environment, list, maybe, name, rate, share, statistics, time } = require('./draw')

const REASONS = ['rate', 'errors', 'latency', 'throughput', 'other']
const LIMITS = ['server', 'generator', 'connections', 'both', null]
const RATES = [1, 1, 9.96, 10, 20, 29.9, 30, 31, 100, 320, 1000, 2000]
const PLACES = [1, 2, 5, 9, 29, 30, 31, 100, 1200]
const few = (dice) => dice.one(0, 0, 0, 1, 2, 9, 1200)

const about = (dice) => ({
  start: maybe(dice, 0.9, () => MOMENT),
  finish: dice.one('2024-05-01T10:01:30.000Z', MOMENT, undefined),
  ratesOf: dice.one('requests', 'requests', 'sessions', 'messages', 'arrivals', undefined),
  duration: dice.one(1, 7, 59.6, undefined),
  warnings: list(dice.one(0, 0, 1, 2), () => dice.one({ code: 'A', message: 'First.' }, { code: 'STOPPED', message: 'It was stopped.' }, { code: 'AGENT_LOST', message: 'Lost.' }, { code: 'B' })),
  environment: maybe(dice, 0.5, environment),
  options: maybe(dice, 0.5, () => ({ timeout: 5, connections: 7 }))
})

const urls = (dice) => dice.one('http://a', ['http://b', 'http://c/?token=x'], 'ws://d', [], undefined)
const monitor = (dice) => maybe(dice, 0.3, () => list(dice.whole(0, 3), (index) => ({ pid: dice.one(71 + index, 71 + index, 99), cpu: dice.one(0, 3, 61, 150, null) })))
const statuses = (dice) => maybe(dice, 0.8, () => counts(dice, ['200', '204', '302', '404', '500', '503', 'OK', 'UNKNOWN'], 0.3))
const atLeast = (dice, names) => maybe(dice, 0.3, () => names.filter(() => dice.happens(0.4)))
const stream = (dice) => ({ rate: rate(dice), timeToFirstEvent: { p99: dice.one(time(dice), null) }, gap: { p99: dice.one(time(dice), null) } })

/** Places in any order, some of them twice. */
function placesOf (dice, values, most) {
  const length = dice.one(0, 1, 2, 2, 3, most)
  return list(length, () => dice.one(...values))
}

function measured (dice, name, hasStream) {
  const { p50, p90, p99, p99_9: p999 } = statistics(dice, { isKnown: dice.happens(0.9) })
  const isKnown = dice.happens(0.9)
  return {
    name,
    achieved: rate(dice),
    p50: isKnown ? p50 : null,
    p90,
    p99: isKnown ? p99 : null,
    p99_9: p999,
    atLeast: atLeast(dice, ['p50', 'p90', 'p99', 'p99_9', 'stream.gap.p99', 'stream.timeToFirstEvent.p99']),
    errors: few(dice),
    errorPercent: 100 * share(dice),
    completed: count(dice),
    failures: dice.one(few(dice), few(dice), null),
    statuses: statuses(dice),
    unsent: few(dice),
    keepsUp: dice.one(true, true, false, false, null),
    saturated: dice.one(false, false, true, undefined),
    limitedBy: dice.one(...LIMITS),
    stream: hasStream ? maybe(dice, 0.8, stream) : undefined,
    monitor: monitor(dice)
  }
}

function knee (dice, name, place, values) {
  return { name, [place]: dice.one(...values), achieved: rate(dice), p50: dice.one(time(dice), null), p99: dice.one(time(dice), null), beyond: dice.one(...values), reason: dice.one(...REASONS), limitedBy: dice.one(...LIMITS) }
}

function sweep (seed) {
  const dice = Dice.of(seed, 'sweep')
  const isOfRates = dice.happens(0.6)
  const [field, place, values] = isOfRates ? ['demanded', 'rate', RATES] : ['connections', 'connections', PLACES]
  const names = list(dice.one(1, 1, 2, 3), (index) => dice.one(name(dice), `target ${index}`))
  const hasStream = dice.happens(0.3)
  const areStreams = names.map(() => hasStream && dice.happens(0.75))
  const knees = names.map((each) => dice.happens(0.5) ? knee(dice, each, place, values) : null)
  return {
    kind: 'sweep',
    axis: isOfRates ? dice.one('rates', undefined) : 'connections',
    ...about(dice),
    targets: names.map((each) => ({ name: each, url: urls(dice) })),
    rows: placesOf(dice, values, 7).map((value) => ({ [field]: value, targets: names.map((each, index) => measured(dice, each, areStreams[index])) })),
    knee: names.length === 1 ? dice.one(knees[0], knees) : knees,
    stoppedBy: dice.one(null, null, 'stop', 'no answer', 'agent lost', 'p99')
  }
}

const SLO = ['p99 < 20ms', 'latency.mean < 9ms', 'errors <= 1%', 'max <= 1s', 'rate.achieved >= 98%', 'p50 > 1ms', 'no threshold']

function capacity (seed) {
  const dice = Dice.of(seed, 'capacity')
  const isOfRates = dice.happens(0.6)
  const [place, values] = isOfRates ? ['rate', [100, 200, 200, 210, 300, 300.4, 400]] : ['connections', [1, 2, 4, 5, 1200]]
  const slo = SLO.filter(() => dice.happens(0.4))
  const found = dice.one(0, ...values)
  const failed = dice.one(null, found * 1.001, found * 1.0301, found * 1.03, ...values)
  return {
    kind: 'capacity',
    axis: isOfRates ? 'rates' : 'connections',
    ...about(dice),
    target: dice.one({ name: name(dice), url: urls(dice) }, { name: 'shop', url: 'http://a' }, { name: '' }),
    slo,
    capacity: found,
    interval: dice.one([found, failed], [found, failed], [found * 0.95, failed], null) ?? [found, null],
    limitingThreshold: dice.one(slo[0] ?? null, null),
    limitedBy: dice.one('server', 'generator', 'connections', 'maximum asked for', 'both', null),
    reasons: dice.one([], ['busy', 'slow'], null),
    isConfirmed: dice.happens(0.5),
    steps: list(dice.one(0, 1, 3, 6, 9), () => step(dice, place, values, slo)),
    knee: dice.one(null, knee(dice, 'shop', place, values), { ...knee(dice, 'shop', place, values), [place]: found }),
    precision: dice.one(0.05, 0.001, null),
    connections: dice.one(50, 1200, null),
    seconds: dice.one(95, 0.5, null)
  }
}

function step (dice, place, values, slo) {
  const passed = dice.happens(0.5)
  const missed = passed ? [] : slo.filter(() => dice.happens(0.6))
  const { p50, p99 } = statistics(dice)
  return {
    [place]: dice.one(...values),
    phase: dice.one('climb', 'bisect', 'confirm'),
    achieved: rate(dice),
    p50: dice.one(p50, p50, p50, null),
    p99: dice.one(p99, p99, p99, null),
    atLeast: atLeast(dice, ['p50', 'p99']),
    passed,
    missed,
    errors: few(dice),
    failures: dice.one(few(dice), few(dice), null),
    statuses: statuses(dice),
    completed: count(dice),
    duration: dice.one(4, 12.04, null),
    limitedBy: dice.one(...LIMITS),
    monitor: monitor(dice),
    verdicts: maybe(dice, 0.7, () => slo.map((threshold) => ({ threshold, unit: dice.one('ms', '%', ''), actual: dice.one(time(dice), count(dice), null), limit: dice.one(20, 9), atLeast: dice.one(undefined, time(dice)), passed: dice.one(true, false), unanswered: dice.one(undefined, { count: 1, of: 5 }) })))
  }
}

const METRICS = { throughput: '/s', p50: 'ms', p99: 'ms', errorRate: 'share', eventRate: '/s', firstEventP50: 'ms', firstEventP99: 'ms', gapP50: 'ms', gapP99: 'ms' }
const ENDS = [-1, -0.999, -0.5, -0.05, -0.00001, 0, 0.00001, 0.02, 0.05, 0.1, 0.45, 1, 998.99, 999, 5000]
const VERDICTS = ['faster', 'slower', 'no difference shown', 'no difference shown']

function comparison (seed) {
  const dice = Dice.of(seed, 'comparison')
  const sides = list(dice.one(2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 28), (index) => ({ name: dice.one(name(dice), name(dice), name(dice), `side ${index}`, ''), url: urls(dice), runs: dice.one(1, 2, 5, 5, dice.one(0, 5)), statuses: statuses(dice) ?? {}, isSaved: dice.one(true, false, undefined) }))
  const comparisons = sides.slice(1).map(({ name: own }) => ({
    name: dice.one(own, own, ''), comparedWith: dice.one(sides[0].name, ''), verdict: dice.one('faster', 'slower', 'mixed', 'no difference shown'), metrics: metrics(dice), regression: maybe(dice, 0.6, regression, null), hot: maybe(dice, 0.3, () => list(dice.whole(0, 2), () => ({ function: dice.one('work', 'f'.repeat(28), 'f'.repeat(29)), file: dice.one('/app/a.js', `/${'d'.repeat(40)}.js`, null), line: dice.one(3, null), package: dice.one(null, 'x'), a: time(dice), b: time(dice) })), null)
  }))
  const isOld = dice.happens(0.1)
  return {
    kind: 'comparison',
    ...about(dice),
    sides,
    comparisons: isOld ? [] : comparisons,
    ...(isOld && { metrics: comparisons[0].metrics, verdict: comparisons[0].verdict, regression: comparisons[0].regression }),
    runs: list(dice.one(0, 1, 4, 9), () => ({ side: dice.whole(0, sides.length), round: dice.one(0, 1, 2, 4), throughput: rate(dice), p50: time(dice), p99: time(dice), errorRate: share(dice), monitor: monitor(dice) })),
    confidence: dice.one(0.95, 0.99, null),
    falseAlarmRate: dice.one(0.05, null),
    method: dice.one('paired bootstrap', 'one run each'),
    passed: dice.one(true, false, null),
    regressionVerdict: dice.one('passed', 'failed', 'inconclusive', '')
  }
}

const metrics = (dice) => Object.fromEntries(Object.entries(METRICS).filter(([key]) => dice.happens(/^(throughput|p50|p99|errorRate)$/.test(key) ? 0.85 : 0.15)).map(([key, unit]) => {
  const ends = [dice.one(...ENDS), dice.one(...ENDS), dice.one(...ENDS)].sort((a, b) => a - b)
  const value = () => unit === 'ms' ? dice.one(time(dice), time(dice), null) : unit === 'share' ? share(dice) : rate(dice)
  return [key, {
    a: value(), b: value(), unit, scale: unit === 'share' ? 'absolute' : 'relative', difference: dice.one(ends[1], ends[1], null), interval: dice.one([ends[0], ends[2]], [ends[0], ends[2]], [ends[0], null], [null, null], null), smallestDifference: dice.one(...ENDS.filter((end) => end >= 0), null), atLeast: atLeast(dice, ['a', 'b']), verdict: dice.one(...VERDICTS)
  }]
}))

function regression (dice) {
  const verdict = () => dice.one('passed', 'failed', 'inconclusive', 'inconclusive', null)
  return {
    verdict: verdict(),
    passed: dice.happens(0.5),
    checks: list(dice.whole(0, 3), () => {
      const limit = dice.one(0.05, 0.1, 0)
      const [low, high] = [dice.one(...ENDS), dice.one(...ENDS)].sort((a, b) => a - b)
      return {
        metric: dice.one('p99', 'throughput', 'gapP50', 'other'), limit, regression: dice.one(share(dice), -0.1, null), smallestDifference: dice.one(limit, limit * 1.01, 999, 5000, null), passed: dice.happens(0.5), verdict: verdict(), interval: dice.one([low, high], [low, limit], [null, null], [low, null], null), needed: dice.one(null, null, { rounds: dice.one(1, 3, null), seconds: dice.one(1, 4, null) })
      }
    })
  }
}

function jamming (seed) {
  const dice = Dice.of(seed, 'jamming')
  const payloads = dice.one(null, null, [100], [100, 900])
  const levels = list(dice.one(0, 1, 2, 3, 7), () => level(dice, payloads === null ? null : dice.one(...payloads)))
  const threshold = () => {
    const [low, high] = [rate(dice), rate(dice)].sort((a, b) => a - b)
    return dice.one(null, { outgoing: (low + high) / 2, spread: [low, high] }, { outgoing: low, spread: [low, low] })
  }
  const end = () => ({ threshold: threshold(), limitedBy: dice.one('server', 'generator', 'maximum asked for', 'other', null) })
  return {
    kind: 'jamming',
    ...about(dice),
    target: dice.one({ name: name(dice), url: urls(dice) }, { name: 'hub', url: 'ws://a' }),
    limit: dice.one(50, 200, null),
    levels,
    ...end(),
    payloads: payloads === null ? null : payloads.map((payload) => ({ payload, ...end() })),
    settings: { scale: dice.one('log', 'linear', undefined) }
  }
}

function level (dice, payload) {
  const connections = dice.one(1, 10, 25, 1200)
  const rates = [4, 8, 10, 20, 40, 60]
  const at = () => {
    const one = dice.one(...rates)
    return { rate: one, outgoing: one * connections }
  }
  return {
    connections,
    payload,
    points: list(dice.one(0, 1, 3, 5), () => {
      const { p50, p99, mean, max } = statistics(dice)
      return { ...at(), received: count(dice), p50: dice.one(p50, p50, p50, null), p99: dice.one(p99, p99, null), mean: dice.one(mean, mean, null), max, lastCopyP50: dice.one(time(dice), null), lastCopyP99: dice.one(time(dice), null), atLeast: atLeast(dice, ['p50', 'p99', 'lastCopyP99']), lost: few(dice), drops: few(dice), saturated: dice.one(true, false, false), monitor: monitor(dice) }
    }),
    knee: dice.one(null, ...['latency', 'growing latency', 'undelivered', 'connection lost', 'new'].map((reason) => ({ ...at(), reason }))),
    lastGood: dice.one(null, at(), at()),
    recovery: dice.one(null, { rate: 10, seconds: dice.one(1.5, null), within: 5 }),
    limitedBy: dice.one('server', 'server', 'generator', null)
  }
}

const STUDIES = { sweep, capacity, comparison, jamming }

/** The answer of a study, and settings of its report. @param {string} kind @param {number} seed @returns {{ study: object, settings: object }} */
function drawnStudy (kind, seed) {
  const { settings = {}, ...study } = STUDIES[kind](seed)
  return { study: JSON.parse(JSON.stringify(study)), settings }
}

module.exports = { KINDS: Object.keys(STUDIES), drawnStudy }
