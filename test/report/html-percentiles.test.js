'use strict'

const t = require('tap')
const Distribution = require('../../lib/metrics/distribution')
const { durationStatistics } = require('../../lib/metrics/statistics')
const histogramFigure = require('../../lib/report/run/histogram')
const { distributionOf, percentileCurves, percentilesFor, positionOf } = require('../../lib/report/run/percentile-curve')

function resultOf (milliseconds) {
  const distribution = new Distribution()
  for (const value of milliseconds) distribution.record(Math.round(value * 1000))
  return { latency: durationStatistics(distribution), histograms: { latency: distribution.encode() } }
}

const upTo = (count) => Array.from({ length: count }, (_, index) => index + 1)
// The maximum error of a histogram with three digits.
const isNear = (t, actual, expected) => t.ok(Math.abs(actual - expected) <= expected / 1000, `${actual} for ${expected}`)

t.test('a percentile is drawn at 1 / (1 - p)', async (t) => {
  for (const [percentile, position] of [[0, 1], [50, 2], [90, 10], [99, 100], [99.9, 1000], [99.999, 100000]]) {
    t.ok(Math.abs(positionOf(percentile) - position) < position * 1e-6)
  }
})

t.test('the value at a position is that of the percentile', async (t) => {
  const result = resultOf(upTo(1000))
  const distribution = distributionOf(result, 'latency')
  t.equal(distribution.count, 1000)
  for (const percentile of [0.1, 1, 10, 25, 50, 75, 90, 97.5, 99, 99.9]) isNear(t, distribution.valueAt(positionOf(percentile)), percentile * 10)
  isNear(t, distribution.valueAt(1), 1)
  isNear(t, distribution.valueAt(1000), 999)
  isNear(t, distribution.valueAt(2000), 1000)
  t.equal(distribution.valueAt(2001), null, 'there is none after the last')
})

t.test('it agrees with the statistics of the result, for any number of values', async (t) => {
  for (const count of [1, 2, 3, 7, 99, 100, 101, 1234]) {
    const result = resultOf(upTo(count).map((index) => index ** 1.5))
    const distribution = distributionOf(result, 'latency')
    for (const [percentile, key] of [[50, 'p50'], [90, 'p90'], [97.5, 'p97_5'], [99, 'p99'], [99.9, 'p99_9']]) {
      const value = distribution.valueAt(positionOf(percentile))
      if (positionOf(percentile) <= 2 * count) isNear(t, value, result.latency[key])
    }
  }
})

t.test('a curve rises from the shortest to the longest', async (t) => {
  const result = resultOf(upTo(5000).map((index) => index / 7))
  const { positions, values: [values] } = percentileCurves([distributionOf(result, 'latency')])
  t.equal(positions[0], 1)
  t.equal(positions.at(-1), 10000)
  isNear(t, values[0], result.latency.min)
  t.equal(values.at(-1), result.latency.max)
  t.same(values, [...values].sort((a, b) => a - b))
  t.same(positions, [...positions].sort((a, b) => a - b))
  t.ok(positions.length > 60 && positions.length < 120)
})

t.test('distributions of different sizes share their positions, each up to its own end', async (t) => {
  const [small, large] = [resultOf(upTo(10)), resultOf(upTo(1000))].map((result) => distributionOf(result, 'latency'))
  const { positions, values } = percentileCurves([small, large])
  t.equal(positions.at(-1), 2000)
  const end = positions.indexOf(20)
  isNear(t, values[0][end], 10)
  t.ok(values[0].slice(end + 1).every((value) => value === null))
  t.ok(values[1].every((value) => value !== null))
})

t.test('without a histogram, lines join the known percentiles', async (t) => {
  const { latency } = resultOf(upTo(1000))
  const distribution = distributionOf({ latency }, 'latency')
  const { positions, values: [values] } = percentileCurves([distribution])
  t.equal(values[positions.indexOf(2)], latency.p50)
  t.equal(values[positions.findIndex((position) => Math.abs(position - 100) < 1e-6)], latency.p99)
  t.same(values, [...values].sort((a, b) => a - b))
  t.ok(values.every((value) => value !== null))
})

t.test('without any values there is no curve', async (t) => {
  t.equal(distributionOf(resultOf([]), 'latency'), null)
  t.equal(distributionOf({}, 'latency'), null)
})

t.test('a table has only as many percentiles as the number of values can distinguish', async (t) => {
  t.equal(percentilesFor(1).at(-1), 50)
  t.equal(percentilesFor(100).at(-1), 99)
  t.equal(percentilesFor(1e6).at(-1), 99.9999)
})

t.test('the histogram begins at the smallest time above 0, and has all that was shorter in its first bar', (t) => {
  const { latency, histograms } = resultOf([0, 0, 0.5, 100])
  const [edges, shares] = histogramFigure([{ name: 'a', distribution: distributionOf({ latency, histograms }, 'latency') }], 'request').chart.chart.data
  t.same([edges[0] <= 0.5, edges.at(-1) >= 100, edges.every((edge, index) => index === 0 || edge > edges[index - 1])], [true, true, true], edges.join(' '))
  t.equal(shares[0] >= 50, true)
  t.equal(shares.reduce((sum, share) => sum + share), 100)
  t.end()
})
