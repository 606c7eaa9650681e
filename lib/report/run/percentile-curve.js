'use strict'

const { decodeHistogram } = require('../../base/encoded-histogram')
const { isNumber } = require('../../words/numbers')

/*
 * The axis of HdrHistogram's plots: percentile p is at position 1 / (1 - p) on a logarithmic scale, so that 90%, 99% and
 * 99.9% are equally far apart. The largest of n values is at 2n.
 */

const POINTS_PER_POWER = 16
// The percentiles in the table; the curve passes through them exactly.
const PERCENTILES = [0, 25, 50, 75, 90, 95, 97.5, 99, 99.9, 99.99, 99.999, 99.9999]

const positionOf = (percentile) => 100 / (100 - percentile)
const endOf = (count) => 2 * count

/**
 * Returns an object to read the values of a distribution from: its histogram, or without one, as in autocannon's results,
 * the percentiles of its statistics object.
 *
 * @param {object} result
 * @param {string} name a field of the result that is a statistics object
 * @returns {?{ count: number, valueAt: function(number): ?number, positions: ?number[], recorded: ?function(): object[] }}
 *   `valueAt`: ms at a position of the axis; `positions`: the only positions with a value, or null if all have one;
 *   `recorded` returns `{ value, count }` in rising order (ms), if there is a histogram. Null if nothing was recorded
 */
function distributionOf (result, name) {
  const statistics = result[name]
  if (!statistics || statistics.totalCount === 0) return null
  const histogram = decode(result.histograms?.[name])
  if (histogram === null) return fromStatistics(statistics)
  const count = histogram.totalCount
  return {
    count,
    positions: null,
    recorded: () => recordedIn(histogram, statistics.max),
    valueAt: (position) => position > endOf(count) ? null : rankedValue(histogram, rankAt(position, count), statistics.max)
  }
}

function decode (encoded) {
  try {
    const histogram = decodeHistogram(encoded)
    return histogram.totalCount > 0 ? histogram : null
  } catch {
    return null
  }
}

// Returns the rank of the smallest value that at least a share of 1 - 1/position of all values do not exceed.
function rankAt (position, count) {
  return Math.max(1, Math.ceil(count - count / position - 1e-9))
}

function recordedIn (histogram, max) {
  const recorded = []
  for (let index = 0, left = histogram.totalCount; left > 0 && index < histogram.countsArrayLength; index++) {
    const count = histogram.getCountAtIndex(index)
    if (count === 0) continue
    left -= count
    const value = histogram.valueFromIndex(index) / 1000
    recorded.push({ value: isNumber(max) ? Math.min(value, max) : value, count })
  }
  return recorded
}

// Histograms are in microseconds. The upper end of a bucket may exceed the largest value, so the value is capped.
function rankedValue (histogram, rank, max) {
  const value = histogram.getValueAtPercentile(100 * rank / histogram.totalCount) / 1000
  return isNumber(max) ? Math.min(value, max) : value
}

function fromStatistics (statistics) {
  const count = isNumber(statistics.totalCount) ? statistics.totalCount : 1e5
  const known = new Map([[1, statistics.min]])
  for (const [key, value] of Object.entries(statistics)) {
    const match = /^p(\d+(?:_\d+)?)$/.exec(key)
    const percentile = match ? Number(match[1].replace('_', '.')) : NaN
    if (percentile < 100 && positionOf(percentile) < endOf(count)) known.set(positionOf(percentile), value)
  }
  known.set(endOf(count), statistics.max)
  const values = new Map([...known].filter(([, value]) => isNumber(value)))
  return { count, positions: [...values.keys()].sort((a, b) => a - b), recorded: null, valueAt: (position) => values.get(position) ?? null }
}

/**
 * Evaluates several distributions at common positions.
 *
 * @param {object[]} distributions from `distributionOf`
 * @returns {{ positions: number[], values: Array<Array<?number>> }} values in ms, one list per distribution
 */
function percentileCurves (distributions) {
  const end = distributions.reduce((max, { count }) => Math.max(max, endOf(count)), 2)
  const all = new Set([end])
  for (let step = 0; 10 ** (step / POINTS_PER_POWER) < end; step++) all.add(10 ** (step / POINTS_PER_POWER))
  for (const percentile of PERCENTILES) if (positionOf(percentile) < end) all.add(positionOf(percentile))
  for (const { count, positions } of distributions) for (const position of positions ?? [endOf(count)]) all.add(position)
  const positions = [...all].sort((a, b) => a - b)
  return { positions, values: distributions.map((distribution) => positions.map((position) => drawn(distribution, position, positions))) }
}

// Without a histogram, interpolates linearly between the known percentiles.
function drawn (distribution, position) {
  if (distribution.positions === null || position > endOf(distribution.count)) return distribution.valueAt(position)
  const after = distribution.positions.find((other) => other >= position)
  const before = distribution.positions.findLast((other) => other <= position)
  if (after === undefined || before === undefined) return null
  if (after === before) return distribution.valueAt(position)
  const share = Math.log(position / before) / Math.log(after / before)
  return distribution.valueAt(before) + share * (distribution.valueAt(after) - distribution.valueAt(before))
}

/** Returns the percentiles that are meaningful for this number of values. */
function percentilesFor (count) {
  return PERCENTILES.filter((percentile) => positionOf(percentile) <= Math.max(endOf(count), 2))
}

module.exports = { distributionOf, percentileCurves, percentilesFor, positionOf }
