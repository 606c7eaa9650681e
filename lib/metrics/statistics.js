'use strict'

const { percentiles } = require('hdr-histogram-percentiles-obj')

// p95 is what most service level objectives are written in; the list of the percentiles package lacks it.
const EXTRA_PERCENTILES = [95]

/** The percentiles of every statistics object, in rising order. */
const PERCENTILES = [...percentiles, ...EXTRA_PERCENTILES].sort((a, b) => a - b)

/** `97.5` -> `p97_5`: how a percentile is named in a statistics object. */
function percentileName (percent) {
  return 'p' + String(percent).replace('.', '_')
}

const NAMED = PERCENTILES.map((percent) => [percentileName(percent), percent])

// In rising order, in which a distribution finds each from the one before.
function withPercentiles (object, percentile) {
  for (const [name, percent] of NAMED) object[name] = percentile(percent)
  return object
}

/**
 * A distribution of microseconds as a statistics object in milliseconds.
 *
 * @param {Distribution} distribution
 * @returns {object} `{ min, max, average, mean, stddev, total, totalCount, p0_001 … p99_999 }`, ms with decimals;
 *   `totalCount` is how many values there are, `total` their sum in ms
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
 * As much of it as can be told while the run goes on.
 *
 * @param {Span} span microseconds
 */
function standingStatistics ({ count, sum, min, max }) {
  return { min: count === 0 ? 0 : toMilliseconds(min), max: toMilliseconds(max), total: toMilliseconds(sum), totalCount: count }
}

/**
 * A distribution of whole numbers that are no durations, as a statistics object.
 *
 * @param {Distribution} distribution
 */
function countStatistics (distribution) {
  const { count, max, min, mean, stddev, sum } = distribution
  const round = (value) => Math.round(value * 1000) / 1000
  return withPercentiles({
    average: round(mean), mean: round(mean), stddev: round(stddev), min: count === 0 ? 0 : min, max, total: sum, totalCount: count
  }, (percent) => distribution.percentile(percent))
}

/**
 * How many values of a distribution are only lower bounds.
 *
 * @param {Distribution} bounds those that are
 * @param {Distribution} all of which they are a part
 * @returns {{ count: number, share: number, smallest: ?number }} `share` of all, 0 to 1; `smallest` in ms, null where
 *   there is none
 */
function boundStatistics (bounds, all) {
  const { count } = bounds
  return { count, share: count === 0 ? 0 : count / all.count, smallest: count === 0 ? null : toMilliseconds(bounds.min) }
}

/**
 * At least how long values took that are not there.
 *
 * @param {Distribution} missing
 * @returns {{ count: number, smallest: number, largest: number, total: number }} ms
 */
function missingStatistics ({ count, min, max, sum }) {
  return { count, smallest: toMilliseconds(min), largest: toMilliseconds(max), total: toMilliseconds(sum) }
}

// Rounded to the nanosecond: what division leaves behind (0.055999999999999994) is noise to a reader.
function toMilliseconds (microseconds) {
  return Math.round(microseconds * 1000) / 1e6
}

/**
 * Rates per second, one per sample, as a statistics object. The samples are few, so that they are kept and nothing is
 * rounded to a histogram's bucket; a percentile is the smallest rate that this share of the samples does not exceed.
 * `average` is the true one, all that was counted by the time it took, and not the average of the samples.
 *
 * @param {number[]} rates per second, one per sample
 * @param {number} total all that was counted
 * @param {number} seconds how long it took
 */
function rateStatistics (rates, total, seconds) {
  const sorted = Float64Array.from(rates).sort()
  const average = seconds > 0 ? total / seconds : 0
  const round = (rate) => Math.round(rate * 1000) / 1000
  return withPercentiles({
    average: round(average),
    mean: round(average),
    stddev: round(deviation(sorted)),
    min: round(sorted.length === 0 ? 0 : sorted[0]),
    max: round(sorted.length === 0 ? 0 : sorted[sorted.length - 1]),
    total,
    totalCount: sorted.length
  }, (percent) => round(nearestRank(sorted, percent)))
}

function nearestRank (sorted, percent) {
  if (sorted.length === 0) return 0
  // The small amount keeps 97.5 % of 40 at rank 39 where the product comes out a hair too large.
  const rank = Math.ceil(percent / 100 * sorted.length - 1e-9)
  return sorted[Math.max(0, rank - 1)]
}

function deviation (values) {
  if (values.length === 0) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

module.exports = { boundStatistics, countStatistics, durationStatistics, missingStatistics, rateStatistics, standingStatistics, toMilliseconds, percentileName, PERCENTILES }
