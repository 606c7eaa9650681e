'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { Heat, boundOf, bucketOf, heat } = require('../../lib/metrics/parts/heat')

const HOURS_24_DAYS = 24 * 24 * 3600 * 1e6

// value >= 10^(index / 8) us, by integers alone.
const reaches = (value, index) => BigInt(value) ** 8n >= 10n ** BigInt(index)

function isRight (value) {
  const bucket = bucketOf(value)
  return bucket === 0 ? value === 0 : reaches(value, bucket - 1) && !reaches(value, bucket)
}

t.test('the bucket of a value is exact at its bounds', (t) => {
  const near = Array.from({ length: 100 }, (_, index) => Math.round(10 ** (index / 8))).flatMap((value) => [value - 2, value - 1, value, value + 1, value + 2])
  const powers = Array.from({ length: 40 }, (_, bits) => 2 ** bits).flatMap((value) => [value - 1, value, value + 1])
  const all = [...Array.from({ length: 5000 }, (_, value) => value), ...near, ...powers].filter((value) => value >= 0)
  t.strictSame(all.filter((value) => !isRight(value)), [])
  fc.assert(fc.property(fc.integer({ min: 0, max: HOURS_24_DAYS }), isRight))
  t.end()
})

t.test('bounds are 10^(k/8) ms', (t) => {
  t.equal(boundOf(0), 0)
  for (let bucket = 1; bucket < 100; bucket++) t.equal(boundOf(bucket), 10 ** ((bucket - 25) / 8))
  t.strictSame([1, 9, 17, 25, 33].map(boundOf), [0.001, 0.01, 0.1, 1, 10])
  t.end()
})

// A run of several samples, each with its values in microseconds; what came after the last sample is the drain.
function mapOf (samples, drained, drain = { seconds: drained.length === 0 ? 0 : 0.5 }) {
  const counted = new Heat()
  const taken = samples.map((values, index) => {
    for (const value of values) counted.add(value, 1)
    return { end: (index + 1) * 1000, heat: counted.takeInterval() }
  })
  for (const value of drained) counted.add(value, 1)
  counted.takeInterval()
  return heat.result(counted.toData(), { timeline: { samples: taken }, seconds: samples.length, drain }).heat
}

t.test('each value is counted once, in its sample and between its bounds', (t) => {
  const latency = fc.oneof(fc.nat(100), fc.nat(100000), fc.nat(3.6e9))
  fc.assert(fc.property(fc.array(fc.array(latency), { minLength: 1, maxLength: 4 }), fc.array(latency), (samples, drained) => {
    const { times, bounds, counts } = mapOf(samples, drained)
    const all = drained.length === 0 ? samples : [...samples, drained]
    t.strictSame(times, all.map((_, index) => index < samples.length ? index + 1 : samples.length + 0.5))
    const flat = all.flat()
    if (flat.length === 0) {
      t.strictSame([bounds, counts], [[], all.map(() => [])])
      return
    }
    const ms = (value) => value / 1000
    const [least, most] = [ms(Math.min(...flat)), ms(Math.max(...flat))]
    t.ok(bounds[0] <= least && least < bounds[1] && bounds.at(-2) <= most && most < bounds.at(-1))
    t.strictSame(counts, all.map((values) => bounds.slice(1).map((bound, index) => values.filter((value) => ms(value) >= bounds[index] && ms(value) < bound).length)))
  }), { numRuns: 50 })
  t.end()
})

t.test('what came after the last sample, at its very end, belongs to it', (t) => {
  t.strictSame(mapOf([[1000], []], [5000, 10000], { seconds: 0 }), {
    times: [1, 2],
    bounds: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((eighths) => 10 ** (eighths / 8)),
    counts: [[1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0, 1]]
  })
  t.end()
})

t.test('the sum of several threads is that of one; an earlier version counted nothing', (t) => {
  const parts = [[5, 700], [], [700, 80000]].map((values) => {
    const counted = new Heat()
    for (const value of values) counted.add(value, 2)
    counted.takeInterval()
    return counted.toData()
  })
  const one = new Heat()
  for (const value of [5, 700, 700, 80000]) one.add(value, 2)
  one.takeInterval()
  t.strictSame(heat.merge(parts), one.toData())
  t.equal(heat.merge([...parts, undefined]), null)
  t.end()
})
