'use strict'

const { evaluateThresholds } = require('../../../..')
const Distribution = require('../../../../lib/metrics/distribution')
const { boundsOf } = require('../../../../lib/thresholds/certainty')
const { possiblyCutOff } = require('../interruption')
const { us } = require('../round')
const { SCHEDULES } = require('../is-unpaced')
const defectIn = require('./plant')

const PERCENTILE = /^p(\d+(?:\.\d+)?)$/
const HISTOGRAM_ERROR = 0.001
const RANKS = [25, 50, 75, 90, 95]
const UNKNOWN = [0, Infinity]
// Below this a histogram stores each microsecond.
const EXACT_BELOW_US = 2048

/** Thresholds at exactly the values of a run: a constant service time, and as many bounds as make a percentile the first of them. */
function draw (dice, drawn) {
  const { opts, server, link, messages, calls, stream, hooks } = drawn
  const isTaken = [opts.sessions, opts.thresholds, opts.excludeErrorStats, messages, calls].some((each) => each !== undefined)
  if (!dice.happens(0.1) || isTaken || stream !== null || Object.keys(hooks).length > 0 || !Object.keys(opts).some((name) => SCHEDULES.has(name))) return
  const limits = [opts.timeout * 1000, 20, 100]
  const judged = []
  if (dice.happens(0.7)) {
    for (const name of ['delay', 'jitter']) delete link[name]
    delete server.slots
    server.serviceTime = { constant: dice.one(1, 5, 20) }
    limits.push(server.serviceTime.constant, server.serviceTime.constant)
    // As many that it is the first one beyond a percentile, or the last one within.
    const every = dice.one(10, 20, 50)
    server.odd = [{ every, answer: 'silence' }]
    if (dice.happens(0.6)) settle(dice, drawn, every)
    judged.push(`p${100 - 100 / every} < ${dice.one(100, opts.timeout * 1000)}ms`)
  }
  // A request just sent when the run ended is a bound among small values.
  if (dice.happens(0.4)) opts.drain = 0
  const names = ['p50', 'p90', 'p95', 'p98', 'p99', 'latency.max', 'latency.min', 'latency.mean', 'latency.mean']
  opts.thresholds = [...judged, ...Array.from({ length: dice.whole(2, 6) }, () => `${dice.one(...names)} ${dice.one('<', '<=', '>=')} ${dice.one(...limits)}ms`)]
  if (dice.happens(0.5)) opts.thresholds.push(dice.one('errors == 0', 'accounting.unsent == 0', 'timeouts <= 1'))
}

// Nothing else is missing, so the last known value has exactly the rank of the percentile.
function settle (dice, drawn, every) {
  const { opts, server } = drawn
  drawn.isSettled = true
  server.serviceTime = { constant: dice.one(1, 5) }
  for (const name of ['maxOverallRequests', 'maxConnectionRequests', 'warmup', 'drain', 'bailout', 'reconnectRate']) delete opts[name]
  Object.assign(opts, { connections: 8, timeout: 0.3, amount: every * dice.whole(1, 3) })
}

const isRich = ({ opts }) => opts.thresholds !== undefined

// Also those of the open model, where requests may be lost behind one that timed out.
const isIn = (drawn) => isRich(drawn) || Object.keys(drawn.opts).some((name) => SCHEDULES.has(name))

/** A threshold passes if the true value is certain to meet it: each bound may be infinite, or as small as it is. */
function check (round) {
  const { must, result: { thresholds, passed } } = round
  checkMoved(round)
  if (thresholds === undefined) return
  must(passed === thresholds.every((each) => each.passed), `passed is ${passed}, of ${JSON.stringify(thresholds.map((each) => each.passed))}`)
  checkVerdicts(round, thresholds)
}

// Between the value at a rank of the result, and that at the same rank of everything that came due, which is known as well.
function checkMoved (round) {
  const values = valuesOf(round)
  if (values === null || values.lost.length === 0 || values.known.length + values.bounds.length === 0) return
  const limits = RANKS.flatMap((percent) => {
    const name = `p${percent}`
    const [least, most] = rangeOf(round, `latency.${name}`) ?? UNKNOWN
    const shown = statistic(name, [...values.known, ...values.bounds]) / 1000
    return least === most && Math.abs(least - shown) > 2 * HISTOGRAM_ERROR * Math.max(least, shown) ? [`${name} < ${(least + shown) / 2}ms`, `${name} >= ${(least + shown) / 2}ms`] : []
  })
  checkVerdicts(round, evaluateThresholds(round.result, limits))
}

function checkVerdicts (round, verdicts) {
  const { must, result: { accounting } } = round
  for (const verdict of verdicts) {
    const { threshold, metric, operator, limit, actual } = verdict
    const range = rangeOf(round, metric)
    if (range === null) continue
    // If there are bounds as well, the minimum of known values is only in the histogram.
    const isRanked = /\bp\d/.test(metric) || (metric === 'latency.min' && range[0] !== range[1])
    const surely = holdsFor(range, operator, limit, true, isRanked)
    const never = holdsFor(range, operator, limit, false, isRanked)
    if (surely === null || never === null) continue
    const isTime = !['errors', 'timeouts', 'accounting.unsent'].includes(metric)
    const isPassed = surely && !(isTime && accounting.completed === 0)
    must(verdict.passed === isPassed, `${threshold} ${verdict.passed ? 'passed' : 'failed'} with ${actual}, but the world's log says ${range}`)
    must(verdict.certain === (isPassed || never), `${threshold} is ${verdict.certain ? '' : 'not '}certain with ${actual}, but the world's log says ${range}`)
  }
}

// From the smallest possible value to the largest; null: unknown here.
function rangeOf (round, metric) {
  const { result: { accounting, errors } } = round
  const name = metric.replace(/^latency\./, '').replace('_', '.')
  if (metric === 'errors') return [errors, errors]
  if (metric === 'timeouts') return [accounting.timedOut, accounting.timedOut]
  if (metric === 'accounting.unsent') return [accounting.unsent, accounting.unsent]
  const values = valuesOf(round)
  if (values === null) return null
  const { known, bounds, lost } = values
  if (known.length + bounds.length + lost.length === 0) return null
  const least = statistic(name, [...known, ...bounds, ...lost])
  if (least === null) return null
  const beyond = (count) => statistic(name, [...known, ...new Array(count).fill(Infinity)])
  const ages = round.result.interrupted?.latency === undefined ? [] : agesOf(round)
  if (ages === null) return null
  if (ages.length === 0 || name === 'min') return [least / 1000, beyond(bounds.length + lost.length) / 1000]
  // A person stopped the run: what that cut off counts if it is older than the value without it.
  const rest = bounds.length + lost.length - ages.length
  const without = beyond(rest)
  if (ages.some((age) => Math.abs(age - without) <= 1 || (without >= EXACT_BELOW_US && Math.abs(age - without) <= 2 * HISTOGRAM_ERROR * without))) return null
  const older = ages.filter((age) => age > without).length
  const most = beyond(rest + older)
  if (most === Infinity || known.length === 0) return [least / 1000, Infinity]
  return [(rest === 0 ? without : Math.min(without, least)) / 1000, most / 1000]
}

// Of what a person cut off, µs; null: unknown here. What is unsent for another reason has reached its deadline, or its session had failed.
function agesOf (round) {
  const { timeout, unfinished, unsent } = round
  const waiting = unsent.filter(({ dueAt, until, isDropped = false }) => !isDropped && us(until - dueAt) < us(timeout))
  const possible = possiblyCutOff(round, [...unfinished, ...waiting])
  return possible.length > 1 ? null : possible[0].map(({ dueAt, part }) => us(Math.min(part.finishedAt - dueAt, timeout)))
}

// µs; null: unknown here
function valuesOf (round) {
  if (!round.isOpen || !round.knowsDueTimes || round.failed === undefined || round.plan.ignoreCoordinatedOmission) return null
  return {
    known: round.counted.map(({ receivedAt, dueAt }) => us(receivedAt / 1000 - dueAt)),
    bounds: [...round.bounds(({ dueAt }) => dueAt), ...round.unsentAges()],
    // Others on a connection whose deadline passed would have taken an unknown time.
    lost: round.failed.filter(({ isOfUnknownTime }) => isOfUnknownTime).map(({ endedAt, dueAt }) => us(endedAt - dueAt))
  }
}

function statistic (name, values) {
  values.sort((one, other) => one - other)
  if (name === 'max') return values.at(-1)
  if (name === 'min') return values[0]
  if (name === 'mean') return values.reduce((sum, value) => sum + value, 0) / values.length
  const percent = PERCENTILE.exec(name)?.[1]
  return percent === undefined ? null : values[Math.max(0, Math.ceil(values.length * percent / 100 - 1e-9) - 1)]
}

// Whether it holds for all values, or for none; null: closer to the limit than the histogram's precision, from which ranks are taken.
function holdsFor ([least, most], operator, limit, ofAll, isRanked) {
  const isNear = (value) => value * 1000 >= EXACT_BELOW_US && Math.abs(value - limit) <= limit * 2 * HISTOGRAM_ERROR
  if (isRanked && (isNear(least) || isNear(most))) return null
  if (operator === '>=') return ofAll ? least >= limit : most < limit
  if (operator === '<') return ofAll ? most < limit : least >= limit
  return ofAll ? most <= limit : least > limit
}

const Bounds = Object.getPrototypeOf(boundsOf({}, 'latency'))

const isStopped = ({ end, opts }) => end !== null && isIn({ opts })

const isSettled = (drawn) => drawn.isSettled === true

const defects = {
  'a bound that is taken for the value': defectIn(Bounds, 'greatestPercentile', () => (value) => value, isSettled),
  'a mean that is taken for sure': defectIn(Bounds, 'range', (original) => function (name, value = this.statistics[name], ...rest) {
    return name === 'mean' ? { atLeast: value, atMost: value } : original.call(this, name, value, ...rest)
  }, isSettled),
  'what a person cut off, which no percentile counts, however old it is': defectIn(Bounds, 'rangeOfStopped', (original) => function (name, value, percent) {
    if (percent === null) return original.call(this, name, value, percent)
    const known = this.valueOfRank(this.rankOf(percent, this.total - this.interrupted.reduce((sum, { count }) => sum + count, 0)))
    return { atLeast: known, atMost: known }
  }, isStopped),
  'a rank that is one too low': defectIn(Distribution, 'percentile', (original) => function (percent) { return original.call(this, Math.max(0, percent - 100 / Math.max(1, this.count))) }),
  'a percentile beyond which bounds begin, judged by them': defectIn(Bounds, 'valueOfRank', (original) => function (rank) { return original.call(this, rank + 1) }, isSettled)
}

module.exports = { name: 'verdicts', draw, isIn, isRich, check, defects }
