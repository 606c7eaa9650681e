'use strict'

const t = require('tap')
const assert = require('node:assert')
const fc = require('../support/fast-check')
const hdr = require('hdr-histogram-js')
const Distribution = require('../../lib/metrics/distribution')
const { PERCENTILES } = require('../../lib/metrics/statistics')

const HOUR = 3600e6
// Integers (µs): many close together, some small, some up to an hour.
const duration = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 7000, max: 9000 }), fc.integer({ min: 0, max: HOUR }))
const durations = fc.array(duration, { minLength: 1, maxLength: 300 })

function distributionOf (values) {
  const distribution = new Distribution()
  for (const value of values) distribution.record(value)
  return distribution
}

// By definition: the smallest value that at least this share of all values does not exceed.
function exactPercentile (sorted, percent) {
  const rank = sorted.findIndex((_, index) => (index + 1) * 100 >= percent * sorted.length - 1e-9)
  return sorted[rank]
}

function exactDeviation (values) {
  const count = BigInt(values.length)
  const sum = values.reduce((all, value) => all + BigInt(value), 0n)
  const squares = values.reduce((all, value) => all + BigInt(value) ** 2n, 0n)
  return Math.sqrt(Number(count * squares - sum ** 2n)) / values.length
}

// Everything a distribution knows; the counts by bucket, as read from its encoded form.
function numbersOf (distribution) {
  const { count, sum, min, max, mean, stddev } = distribution
  const percentiles = PERCENTILES.map((percent) => distribution.percentile(percent))
  return { count, sum, min, max, mean, stddev, percentiles, places: placesOf(hdr.decodeFromCompressedBase64(distribution.encode())) }
}

function placesOf (histogram) {
  const places = []
  for (let index = 0, left = histogram.totalCount; left > 0; index++) {
    const count = histogram.getCountAtIndex(index)
    if (count > 0) places.push([histogram.valueFromIndex(index), count])
    left -= count
  }
  return places
}

t.test('percentiles are within a thousandth of the true value, and everything else is exact', async (t) => {
  fc.assert(fc.property(durations, (values) => {
    const distribution = distributionOf(values)
    const sorted = values.toSorted((a, b) => a - b)
    for (const percent of [0, ...PERCENTILES, 100]) {
      const exact = exactPercentile(sorted, percent)
      const found = distribution.percentile(percent)
      if (Math.abs(found - exact) > exact / 1000) throw new Error(`p${percent} is ${found}, not ${exact}`)
    }
    const sum = values.reduce((all, value) => all + value)
    return distribution.count === values.length && distribution.sum === sum && distribution.mean === sum / values.length &&
      distribution.min === sorted[0] && distribution.max === sorted.at(-1) && distribution.stddev === exactDeviation(values)
  }))
})

t.test('percentiles never decrease, and stay between min and max', async (t) => {
  fc.assert(fc.property(durations, (values) => {
    const distribution = distributionOf(values)
    const found = [distribution.min, ...PERCENTILES.map((percent) => distribution.percentile(percent)), distribution.max]
    return found.every((value, index) => index === 0 || value >= found[index - 1])
  }))
})

t.test('the sum of the parts is the whole, in any order and grouping', async (t) => {
  fc.assert(fc.property(fc.array(durations, { minLength: 3, maxLength: 3 }), ([a, b, c]) => {
    const whole = numbersOf(distributionOf([...a, ...b, ...c]))
    const left = distributionOf(a).add(distributionOf(b)).add(distributionOf(c))
    const right = distributionOf(c).add(distributionOf(b).add(distributionOf(a)))
    assert.deepStrictEqual(numbersOf(left), whole)
    assert.deepStrictEqual(numbersOf(right), whole)
  }), { numRuns: 30 })
})

t.test('as data it survives JSON', async (t) => {
  fc.assert(fc.property(durations, durations, (values, more) => {
    const copy = Distribution.from(JSON.parse(JSON.stringify(distributionOf(values).toData())))
    assert.deepStrictEqual(numbersOf(copy), numbersOf(distributionOf(values)))
    // It must accept larger values than those it was created with.
    assert.deepStrictEqual(numbersOf(copy.add(distributionOf(more))), numbersOf(distributionOf([...values, ...more])))
  }), { numRuns: 30 })
})

t.test('values of an hour and longer', async (t) => {
  for (const value of [HOUR, 24 * HOUR, 2147483 * 1e6]) {
    const distribution = distributionOf([1, value])
    t.equal(distribution.max, value)
    t.equal(distribution.percentile(100), value)
    t.equal(distribution.percentile(50), 1)
  }
})

t.test('equal large values have no deviation', async (t) => {
  const distribution = new Distribution()
  for (let index = 0; index < 5000; index++) distribution.record(59_999_999)
  distribution.record(59_999_999, 1e9)
  t.equal(distribution.stddev, 0)
  t.equal(distribution.mean, 59_999_999)
})

t.test('more than 2^32 occurrences of one value', async (t) => {
  const distribution = new Distribution()
  distribution.record(100, 2 ** 40)
  distribution.record(900, 2 ** 40)
  const copy = Distribution.from(distribution.toData())
  for (const each of [distribution, copy]) {
    t.equal(each.count, 2 ** 41)
    t.equal(each.mean, 500)
    t.equal(each.stddev, 400)
    t.equal(each.percentile(50), 100)
    t.equal(each.percentile(50.1), 900)
  }
})

t.test("the encoded form is HdrHistogram's", async (t) => {
  const values = Array.from({ length: 1000 }, (_, index) => (index + 1) ** 2)
  const decoded = hdr.decodeFromCompressedBase64(distributionOf(values).encode())
  t.equal(decoded.totalCount, 1000)
  t.equal(decoded.numberOfSignificantValueDigits, 3)
  for (const percent of PERCENTILES) {
    const exact = exactPercentile(values, percent)
    t.ok(Math.abs(decoded.getValueAtPercentile(percent) - exact) <= exact / 1000, `p${percent}`)
  }
})

// The same values in another tool: `hdrhistogram` 0.10.8 for Python, HdrHistogram(1, 3600000000, 3). It also reads our encoded form, with
// these numbers.
const ELSEWHERE = {
  percentiles: [[0.001, 0], [1, 54], [98, 54], [99, 1600511], [99.5, 2603007], [99.9, 3481599], [99.99, 3600383], [100, 3600809983]],
  encoded: 'HISTFAAAANN4nJNpmSzMwMCwjgECmKE0I4i4NnkJg/0HiABb5oFZPI/5mM7KsywVYrvMyzGRk2syJ89KNr7l7AL7WYTOs4j0soo1s0g0M0stZpY5yCz3mFlhLZNSP5PKfCa1tUwae5m0zjLpnGbS28posJvR6CijyWlGs6uMFrcZrR4z2rxltPvM6LCa0anepZXRrZ3Ro5vRayKjz2RGv+mMAbMZg+YzhixmDFvOGLGaMWouY0x4XHRCdFJsSmJaYkZyVmpOZl5mQXZRbkl+WWHF6vmMTACgfTxp'
}

t.test('other tools of HdrHistogram compute the same numbers', async (t) => {
  const distribution = new Distribution()
  for (let index = 1; index <= 60; index++) distribution.record(index ** 2 * 1000 + index, index)
  distribution.record(HOUR)
  distribution.record(0, 3)
  distribution.record(54, 100000)

  const theirs = hdr.decodeFromCompressedBase64(ELSEWHERE.encoded)
  const ours = hdr.decodeFromCompressedBase64(distribution.encode())
  t.equal(ours.totalCount, theirs.totalCount)
  t.equal(ours.outputPercentileDistribution(100), theirs.outputPercentileDistribution(100))
  for (const [percent, value] of ELSEWHERE.percentiles) {
    t.equal(ours.getValueAtPercentile(percent), value, `p${percent}`)
    t.equal(distribution.percentile(percent), Math.min(value, HOUR), `p${percent}, never above the largest value`)
  }
})

t.test('a histogram has the values of the moment at which it was asked for, whenever it is encoded', async (t) => {
  const distribution = distributionOf([5, 700])
  const now = distribution.encode()
  const encode = distribution.encoder()
  distribution.record(9)
  t.equal(encode(), now)
})

t.test('nothing recorded', async (t) => {
  const empty = new Distribution()
  t.match(empty, { count: 0, sum: 0, max: 0, mean: 0, stddev: 0 })
  t.equal(empty.percentile(99), 0)
  t.equal(hdr.decodeFromCompressedBase64(empty.encode()).totalCount, 0)
  const copy = Distribution.from(JSON.parse(JSON.stringify(empty.toData())))
  copy.record(5)
  t.match(copy, { count: 1, sum: 5, min: 5, max: 5 })
  t.match(new Distribution().add(empty), { count: 0, min: Infinity })
})
