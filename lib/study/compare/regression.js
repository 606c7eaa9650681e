'use strict'

const { optionError } = require('../../base/errors')
const { kind, isObject } = require('../../values/kinds')
const { share } = require('../settings')
const { METRICS, STREAM_METRICS } = require('./metrics')
const { moreToSettle } = require('./settle')

const NAMES = [...METRICS, ...STREAM_METRICS].map(({ name }) => name)
// The limit of whatever is compared.
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
 * Whether the second side is worse than the first by more than it may be.
 *
 * A metric is `passed` where it is shown to be no worse than that: where all of its interval is within the limit. It has
 * `failed` where it is shown to be worse: where all of the interval is beyond. Else it is `inconclusive`, and `needed` says
 * how much more would settle it, if it all came out as it has so far. The whole has failed where one has, and is passed
 * where all are.
 *
 * @param {object} metrics as judge gives them
 * @param {object} limits shares by metric, as maxRegression reads them
 * @param {object} measured see moreToSettle; `isUnknown`: a side has answered nothing, or a part of its runs was lost or not done, so
 *   that nothing passes by the rest
 * @returns {{ verdict: string, passed: boolean, checks: object[] }} each check `{ metric, limit, regression, interval,
 *   smallestDifference, verdict, passed, needed }`; `regression`: by what share it is worse, negative where it is better, and
 *   `interval` from where to where that may be; null where that cannot be told
 */
function checkRegression (metrics, limits, measured) {
  const given = limits[ALL] === undefined ? Object.entries(limits) : Object.keys(metrics).map((name) => [name, limits[ALL]])
  const checks = given.map(([name, limit]) => {
    const metric = metrics[name] ?? NOT_COMPARED
    const interval = worseRange(metric)
    const seen = isFewErrors(metric, limit) ? PASSED : verdictOf(interval, limit)
    // Such as nothing beside nothing: no rate got worse, and no error was made.
    const verdict = seen === PASSED && measured.isUnknown ? INCONCLUSIVE : seen
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

// A metric of streams, where not all responses are streams.
const NOT_COMPARED = Object.freeze({ a: null, b: null, difference: null, interval: null, smallestDifference: null, better: 'lower', scale: 'relative' })

/** The verdict of several together. */
function worst (verdicts) {
  return [FAILED, INCONCLUSIVE].find((verdict) => verdicts.includes(verdict)) ?? PASSED
}

// A share of next to no errors could never be shown: where the error rate is not shown to be any worse, and could be so by
// no more than as many percentage points, that is enough.
function isFewErrors ({ scale, interval, verdict }, limit) {
  return scale === 'absolute' && interval !== null && verdict !== 'slower' && interval[1] <= limit
}

function verdictOf (interval, limit) {
  if (interval === null) return INCONCLUSIVE
  const [least, most] = interval
  if (most <= limit) return PASSED
  return least > limit ? FAILED : INCONCLUSIVE
}

// Errors where there were none are any number of times as many.
function regressionOf ({ a, b, difference, better, scale }) {
  if (scale === 'absolute') return a > 0 ? b / a - 1 : b > 0 ? null : 0
  return difference === null ? null : better === 'lower' ? difference : -difference
}

// Two times of less than can be told are as good as equal.
function isUntold ([low, high]) {
  return low === -1 && high === null
}

// Between which shares it is worse. Errors are a share of the first side's, and a side that has made none is not worse.
function worseRange ({ a, b, interval, better, scale, atLeast }) {
  if (interval === null) return null
  if (better === 'lower' && scale === 'relative' && isUntold(interval) && atLeast === undefined) return [0, 0]
  const [low, high] = [interval[0] ?? -Infinity, interval[1] ?? Infinity]
  if (scale === 'relative') return better === 'lower' ? [low, high] : [-high, -low]
  if (b === 0) return a > 0 ? [-1, -1] : [0, 0]
  if (a > 0) return [low / a, high / a]
  return low > 0 ? [Infinity, Infinity] : [0, Infinity]
}

module.exports = { maxRegression, checkRegression, worst }
