'use strict'

const { optionError } = require('../../base/errors')
const { kind, isObject } = require('../../values/kinds')
const { share } = require('../settings')
const { studentQuantile } = require('../statistics/intervals')
const { METRICS, STREAM_METRICS } = require('./metrics')

const NAMES = [...METRICS, ...STREAM_METRICS].map(({ name }) => name)
// The limit for all metrics.
const ALL = '*'
const PASSED = 'passed'
const FAILED = 'failed'
const INCONCLUSIVE = 'inconclusive'

/** `'5%'` or 0.05 for all metrics, or `{ p99: '10%', … }` for some. */
const maxRegression = kind("a share such as '5%', or an object with one for each of " + NAMES.join(', '), (value, name) => {
  if (!isObject(value)) return { [ALL]: share.read(value, name) }
  const limits = Object.entries(value)
  for (const [metric] of limits) {
    if (!NAMES.includes(metric)) throw optionError(`${name}.${metric}`, value[metric], `one of ${NAMES.join(', ')}`)
  }
  return Object.fromEntries(limits.map(([metric, limit]) => [metric, share.read(limit, `${name}.${metric}`)]))
})

/**
 * Checks whether the second side is worse than the first by more than allowed.
 *
 * A metric has `passed` if its whole interval is within the limit, and `failed` if the whole interval is beyond it. Otherwise it is
 * `inconclusive`, and `needed` estimates how many more measurements would settle it. The check fails if any metric fails, and
 * passes if all pass.
 *
 * @param {object} metrics from judge
 * @param {object} limits shares by metric, from maxRegression
 * @param {object} measured see moreToSettle; `isUnknown`: a side didn't respond at all, a part of its runs was lost or cut short, or more
 *   users of the second side failed, so nothing passes; `hasWorseResponses`: more responses of the second side are failures
 * @returns {{ verdict: string, passed: boolean, checks: object[] }} each check `{ metric, limit, regression, interval,
 *   smallestDifference, verdict, passed, needed }`; `regression`: by what share it is worse, negative if it is better, and
 *   `interval`: its confidence interval; null if unknown
 */
function checkRegression (metrics, limits, measured) {
  const given = limits[ALL] === undefined ? Object.entries(limits) : Object.keys(metrics).map((name) => [name, limits[ALL]])
  const isUnknown = measured.isUnknown || (measured.hasWorseResponses === true && isNotLimited(metrics, given))
  const checks = given.map(([name, limit]) => {
    const metric = metrics[name] ?? NOT_COMPARED
    const interval = worseRange(metric)
    const seen = isFewErrors(metric, limit) ? PASSED : verdictOf(interval, limit)
    // For example, if neither side responded: no rate got worse, and there were no errors, but nothing is known.
    const verdict = seen === PASSED && isUnknown ? INCONCLUSIVE : seen
    return {
      metric: name,
      limit,
      regression: regressionOf(metric),
      interval: interval && interval.map((end) => Number.isFinite(end) ? end : null),
      smallestDifference: metric.smallestDifference,
      verdict,
      passed: verdict === PASSED,
      needed: seen === INCONCLUSIVE ? moreToSettle(metric, limit, measured) : null
    }
  })
  const verdict = worst(checks.map(({ verdict }) => verdict))
  return { verdict, passed: verdict === PASSED, checks }
}

// A server that fails more often may be fast only because of that. If nothing limits its failures, nothing else passes.
function isNotLimited ({ errorRate }, given) {
  return errorRate?.verdict === 'slower' && !given.some(([name]) => name === 'errorRate')
}

// The check of a stream metric, if not all responses are streams.
const NOT_COMPARED = Object.freeze({ a: null, b: null, difference: null, interval: null, smallestDifference: null, better: 'lower', scale: 'relative' })

/** Combines several verdicts. */
function worst (verdicts) {
  return [FAILED, INCONCLUSIVE].find((verdict) => verdicts.includes(verdict)) ?? PASSED
}

// With almost no failures, a relative limit could never be proven. So it is enough if the failure rate isn't shown to be worse, and
// could be worse by no more than that many percentage points.
function isFewErrors ({ scale, interval, verdict }, limit) {
  return scale === 'absolute' && interval !== null && verdict !== 'slower' && interval[1] <= limit
}

function verdictOf (interval, limit) {
  if (interval === null) return INCONCLUSIVE
  const [least, most] = interval
  if (most <= limit) return PASSED
  return least > limit ? FAILED : INCONCLUSIVE
}

// If there were no errors before, any errors are infinitely many times as many.
function regressionOf ({ a, b, difference, better, scale }) {
  if (scale === 'absolute') return a > 0 ? b / a - 1 : b > 0 ? null : 0
  return difference === null ? null : better === 'lower' ? difference : -difference
}

// Two times below the resolution count as equal.
function isUntold ([low, high]) {
  return low === -1 && high === null
}

// The interval of how much worse it is, as shares. Errors are relative to those of the first side; a side without errors isn't worse.
function worseRange ({ a, b, interval, better, scale, atLeast }) {
  if (interval === null) return null
  if (better === 'lower' && scale === 'relative' && isUntold(interval) && atLeast === undefined) return [0, 0]
  const [low, high] = [interval[0] ?? -Infinity, interval[1] ?? Infinity]
  if (scale === 'relative') return better === 'lower' ? [low, high] : [-high, -low]
  if (b === 0) return a > 0 ? [-1, -1] : [0, 0]
  if (a > 0) return [low / a, high / a]
  return low > 0 ? [Infinity, Infinity] : [0, Infinity]
}

// More rounds are never practical.
const MOST_ROUNDS = 10000
// The share of one metric in the probability of a false alarm. It only affects the estimate of how fast an interval narrows.
const TAIL = 0.0125
// With fewer values, Student's t makes the interval too wide to be useful.
const FEWEST = 2

/**
 * Estimates how much more must be measured until an interval no longer contains the limit, if further rounds are like the previous
 * ones: it narrows with the square root of their number, and faster if there are only a few.
 *
 * @param {object} metric from judge
 * @param {number} limit the allowed regression, as a share
 * @param {{ rounds: ?number, seconds: ?number }} measured the number of rounds, or of runs of each side; for single runs, the
 *   length of the shorter one in seconds
 * @returns {?{ rounds: number }|{ seconds: number }} null if unknown, or if no number would be enough
 */
function moreToSettle (metric, limit, { rounds, seconds }) {
  if (rounds !== null && rounds < FEWEST) return { rounds: FEWEST - rounds }
  const needed = narrowing(metric, limit)
  if (needed === null) return null
  if (rounds === null) {
    const more = Math.ceil(seconds * (needed ** 2 - 1))
    return Number.isFinite(more) ? { seconds: Math.max(1, more) } : null
  }
  const width = (count) => studentQuantile(TAIL, count - 1) / Math.sqrt(count)
  const enough = firstWhere((count) => width(count) * needed <= width(rounds), rounds + 1, MOST_ROUNDS)
  return enough === null ? null : { rounds: enough - rounds }
}

// Bisects, because an interval only narrows.
function firstWhere (test, low, high) {
  if (!test(high)) return null
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(middle)) high = middle
    else low = middle + 1
  }
  return low
}

// How many times narrower the interval must be for the limit to be at its edge; null if unknown.
function narrowing ({ a, better, scale, interval, atLeast }, limit) {
  if (interval === null || interval.includes(null) || atLeast !== undefined) return null
  const isRelative = scale === 'relative'
  if (!isRelative && !(a > 0)) return null
  const [low, high] = isRelative ? interval.map(Math.log1p) : interval
  const edge = isRelative ? Math.log1p(better === 'lower' ? limit : -limit) : limit * a
  const distance = Math.abs((low + high) / 2 - edge)
  const factor = (high - low) / 2 / distance
  return Number.isFinite(factor) ? Math.max(1, factor) : null
}

module.exports = { maxRegression, checkRegression, worst, moreToSettle }
