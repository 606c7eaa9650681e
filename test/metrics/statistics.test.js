'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const { durationStatistics, rateStatistics, percentileName, PERCENTILES } = require('../../lib/metrics/statistics')

const NAMES = [
  'p0_001', 'p0_01', 'p0_1', 'p1', 'p2_5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p97_5', 'p99', 'p99_9', 'p99_99', 'p99_999'
]
const FIELDS = ['average', 'mean', 'stddev', 'min', 'max', 'total', 'totalCount', ...NAMES]

function distributionOf (values) {
  const distribution = new Distribution()
  for (const value of values) distribution.record(value)
  return distribution
}

t.test('the names of the percentiles, in ascending order', async (t) => {
  t.same(PERCENTILES.map(percentileName), NAMES)
})

t.test('a statistics object has these fields and no others', async (t) => {
  t.same(Object.keys(durationStatistics(distributionOf([1]))).sort(), FIELDS.toSorted())
  t.same(Object.keys(durationStatistics(new Distribution())).sort(), FIELDS.toSorted())
  t.same(Object.keys(rateStatistics([1], 1, 1)).sort(), FIELDS.toSorted())
})

t.test('durations are in milliseconds with decimals', async (t) => {
  const statistics = durationStatistics(distributionOf([54, 56, 1000, 2_000_000]))
  t.match(statistics, {
    min: 0.054, max: 2000, total: 2001.11, totalCount: 4, mean: 500.2775, average: 500.2775, p0_001: 0.054, p25: 0.054, p50: 0.056, p75: 1, p99: 2000
  })
  t.ok(Math.abs(statistics.stddev - 865.865) < 0.001, `stddev ${statistics.stddev}`)
})

t.test('without any value everything is 0, never NaN or Infinity', async (t) => {
  for (const statistics of [durationStatistics(new Distribution()), rateStatistics([], 0, 0), rateStatistics([], 0, 1)]) {
    for (const name of FIELDS) t.equal(statistics[name], 0, name)
  }
})

t.test('statistics of durations are ordered, whatever was recorded', async (t) => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 3600e6 }), { minLength: 1 }), (values) => {
    const statistics = durationStatistics(distributionOf(values))
    const rising = [statistics.min, ...NAMES.map((name) => statistics[name]), statistics.max]
    return rising.every((value, index) => Number.isFinite(value) && (index === 0 || value >= rising[index - 1])) &&
      statistics.mean >= statistics.min && statistics.mean <= statistics.max && statistics.totalCount === values.length
  }))
})

t.test('rates: the average is the total divided by the time', async (t) => {
  // 100 in one second, and 10 in a tenth of a second.
  const statistics = rateStatistics([100, 1000], 110, 1.1)
  t.match(statistics, { average: 100, mean: 100, total: 110, totalCount: 2, min: 100, max: 1000, p50: 100, p75: 1000, stddev: 450 })
})

t.test('a percentile of rates is the smallest rate that this share of the samples does not exceed', async (t) => {
  const rates = Array.from({ length: 40 }, (_, index) => 40 - index)
  t.match(rateStatistics(rates, 820, 40), { p1: 1, p2_5: 1, p10: 4, p25: 10, p50: 20, p75: 30, p90: 36, p95: 38, p97_5: 39, p99: 40, p99_999: 40 })
  // In binary numbers, 99.9% of a thousand is slightly more than 999.
  t.same([1000, 2000].map((count) => rateStatistics(Array.from({ length: count }, (_, index) => index + 1), 1, 1).p99_9), [999, 1998])
  t.match(rateStatistics([7], 7, 1), { p0_001: 7, p50: 7, p99_999: 7, stddev: 0 })
})

t.test('rates are not rounded to a bucket', async (t) => {
  const rates = [123456.789, 3]
  t.equal(rateStatistics(rates, 123459, 2).max, 123456.789)
  t.same(rates, [123456.789, 3])
})
