'use strict'

const { percentiles } = require('hdr-histogram-percentiles-obj')
const { thousandth } = require('../base/rounding')

// Most service level objectives use p95, which the percentiles package does not include.
const EXTRA_PERCENTILES = [95]

/** The percentiles of every statistics object, in ascending order. */
const PERCENTILES = [...percentiles, ...EXTRA_PERCENTILES].sort((a, b) => a - b)

/** Name of a percentile in a statistics object: `97.5` -> `p97_5`. */
function percentileName (percent) {
  return 'p' + String(percent).replace('.', '_')
}

const NAMED = PERCENTILES.map((percent) => [percentileName(percent), percent])

// In ascending order, in which a distribution finds each percentile starting from the previous one.
function withPercentiles (object, percentile) {
  for (const [name, percent] of NAMED) object[name] = percentile(percent)
  return object
}

/**
 * Converts a distribution of microseconds to a statistics object in milliseconds.
 *
 * @param {Distribution} distribution
 * @returns {object} `{ min, max, average, mean, stddev, total, totalCount, p0_001 … p99_999 }`, fractional ms;
 *   `totalCount` is the number of values, `total` their sum in ms
 */
function durationStatistics (distribution) {
  const { count } = distribution
  const mean = toMilliseconds(distribution.mean)
  return withPercentiles({
    average: mean,
    mean,
    stddev: toMilliseconds(distribution.stddev),
    min: count === 0 ? 0 : toMilliseconds(distribution.min),
    max: toMilliseconds(distribution.max),
    total: toMilliseconds(distribution.sum),
    totalCount: count
  }, (percent) => toMilliseconds(distribution.percentile(percent)))
}

/**
 * The statistics that can be computed during the run.
 *
 * @param {Span} span microseconds
 */
function interimStatistics ({ count, sum, min, max }) {
  return { min: count === 0 ? 0 : toMilliseconds(min), max: toMilliseconds(max), total: toMilliseconds(sum), totalCount: count }
}

/**
 * Converts a distribution of integers other than durations to a statistics object.
 *
 * @param {Distribution} distribution
 */
function countStatistics (distribution) {
  const { count, max, min, mean, stddev, sum } = distribution
  return withPercentiles({
    average: thousandth(mean), mean: thousandth(mean), stddev: thousandth(stddev), min: count === 0 ? 0 : min, max, total: sum, totalCount: count
  }, (percent) => distribution.percentile(percent))
}

/**
 * Counts the values of a distribution that are only lower bounds.
 *
 * @param {Distribution} bounds the values that are lower bounds
 * @param {Distribution} all values, including these
 * @returns {{ count: number, share: number, smallest: ?number }} `share` of all, 0 to 1; `smallest` in ms, null if there are
 *   none
 */
function boundStatistics (bounds, all) {
  const { count } = bounds
  return { count, share: count === 0 ? 0 : count / all.count, smallest: count === 0 ? null : toMilliseconds(bounds.min) }
}

/**
 * Summarizes the minimum durations of missing values.
 *
 * @param {Distribution} missing
 * @returns {{ count: number, smallest: number, largest: number, total: number }} ms
 */
function missingStatistics ({ count, min, max, sum }) {
  return { count, smallest: toMilliseconds(min), largest: toMilliseconds(max), total: toMilliseconds(sum) }
}

// Rounds to the nanosecond: the rounding errors of a division (0.055999999999999994) are noise to a reader.
function toMilliseconds (microseconds) {
  return Math.round(microseconds * 1000) / 1e6
}

// Rounds to the millisecond. Milliseconds must be converted to seconds first, so that equal times in a result are rounded
// equally: 500.5 ms would become 0.501 s, but 0.5005 s becomes 0.5 s.
function roundSeconds (seconds) {
  return thousandth(seconds)
}

/**
 * Converts rates per second, one per sample, to a statistics object. There are few samples, so they are kept as they are instead of
 * being rounded to histogram buckets. A percentile is the smallest rate such that this share of the samples is not above it.
 * `average` is the true average, the total divided by the time, and not the average of the samples.
 *
 * @param {number[]} rates per second, one per sample
 * @param {number} total number of events counted
 * @param {number} seconds in which they were counted
 */
function rateStatistics (rates, total, seconds) {
  const sorted = Float64Array.from(rates).sort()
  const average = seconds > 0 ? total / seconds : 0
  return withPercentiles({
    average: thousandth(average),
    mean: thousandth(average),
    stddev: thousandth(deviation(sorted)),
    min: thousandth(sorted.length === 0 ? 0 : sorted[0]),
    max: thousandth(sorted.length === 0 ? 0 : sorted[sorted.length - 1]),
    total,
    totalCount: sorted.length
  }, (percent) => thousandth(nearestRank(sorted, percent)))
}

function nearestRank (sorted, percent) {
  if (sorted.length === 0) return 0
  // Subtract a small amount so that 97.5% of 40 has rank 39 even if rounding makes the product slightly larger.
  const rank = Math.ceil(percent / 100 * sorted.length - 1e-9)
  return sorted[Math.max(0, rank - 1)]
}

function deviation (values) {
  if (values.length === 0) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

module.exports = { boundStatistics, countStatistics, durationStatistics, missingStatistics, rateStatistics, roundSeconds, interimStatistics, toMilliseconds, percentileName, PERCENTILES }
