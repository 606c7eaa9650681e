'use strict'

const { studentQuantile } = require('../statistics/student-t')

// More of them nobody makes.
const MOST_ROUNDS = 10000
// What a metric has to itself of the probability of a false alarm; it is only a factor in how an interval narrows.
const TAIL = 0.0125
// With fewer values Student's t makes an interval too wide to learn from.
const FEWEST = 2

/**
 * How much more has to be measured until an interval has the limit no longer within it, if the next rounds are as those
 * that were made: it narrows with the root of their number, and faster where there are only few.
 *
 * @param {object} metric as judge gives it
 * @param {number} limit the share that it may be worse by
 * @param {{ rounds: ?number, seconds: ?number }} measured how many rounds, or runs of each side, there are; of single runs
 *   how long the shorter is, in seconds
 * @returns {?{ rounds: number }|{ seconds: number }} null where that cannot be told, or no number would do
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

// By halves: an interval only narrows.
function firstWhere (test, low, high) {
  if (!test(high)) return null
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(middle)) high = middle
    else low = middle + 1
  }
  return low
}

// How many times narrower the interval has to be for the limit to be at its edge; null where that is not known.
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
