'use strict'

const t = require('tap')
const Distribution = require('../../lib/metrics/distribution')
const { rawFields } = require('../../lib/metrics/raw')

function encoded (...values) {
  const distribution = new Distribution()
  for (const [value, count] of values) for (let time = 0; time < count; time++) distribution.record(value)
  return distribution.encode()
}

t.test('the fields of a raw result: latencies in whole milliseconds, rounded down, and at most the maximum', async (t) => {
  const fields = (values, max) => rawFields({ histograms: { latency: encoded(...values) }, latency: { max }, requests: { total: 11, sent: 13, average: 1 }, throughput: { total: 17, average: 2 } })
  t.strictSame(fields([[0, 1], [999, 2], [1000, 3], [1999, 4], [2500, 5], [7000, 6]], 7), {
    latencies: encoded([0, 3], [1, 7], [2, 5], [7, 6]), totalCompletedRequests: 11, totalRequests: 13, totalBytes: 17
  })
  // The place of a value ends beyond it, where the next millisecond begins.
  t.equal(fields([[99_990, 2]], 99.99).latencies, encoded([99, 2]))
  t.equal(fields([[3_600_000, 1], [5, 9]], 3600).latencies, encoded([0, 9], [3600, 1]))
  t.equal(fields([], 0).latencies, encoded())
})
