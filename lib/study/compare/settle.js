'use strict'

const { studentQuantile } = require('../statistics/student-t')

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

module.exports = { moreToSettle }
