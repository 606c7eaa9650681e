'use strict'

// Our counts have the same buckets as HdrHistogram; the reference is the package of that name.

const t = require('tap')
const assert = require('node:assert')
const fc = require('../support/fast-check')
const hdr = require('hdr-histogram-js')
const { decodeCounts, encodeCounts } = require('../../lib/base/encoded-histogram')
const Places = require('../../lib/metrics/places')
const { highestOf, placeOf } = Places

const FORM = { bitBucketSize: 64, lowestDiscernibleValue: 1, highestTrackableValue: 2, numberOfSignificantValueDigits: 3, useWebAssembly: false }
// As many values of each magnitude. Just below powers of two from 2^48 on, the package's logarithm is one too large.
const value = fc.tuple(fc.integer({ min: 0, max: 47 }), fc.integer({ min: 0, max: 2 ** 31 - 1 }))
  .map(([bits, part]) => Math.floor(2 ** bits * (1 + part / 2 ** 31)) - 1)
const values = fc.array(fc.tuple(value, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 45 }))), { maxLength: 60 })

function placesOf (values) {
  const places = new Places()
  for (const [value, count] of values) places.record(value, count)
  return places
}

function countsOf (histogram) {
  const counts = []
  for (let place = 0; place < histogram.countsArrayLength; place++) {
    const count = histogram.getCountAtIndex(place)
    if (count > 0) counts.push([place, count])
  }
  return counts
}

function countsAt (pairs) {
  const counts = []
  for (let index = 0, place = -1; index < pairs.length; index += 2) {
    place += pairs[index]
    counts.push([place, pairs[index + 1]])
  }
  return counts
}

t.test('a value is counted in the same bucket as in HdrHistogram, and reported as the same value', async (t) => {
  const histogram = hdr.build(FORM)
  fc.assert(fc.property(value, (value) => {
    assert.strictEqual(placeOf(value), histogram.countsArrayIndex(value))
    assert.strictEqual(highestOf(placeOf(value)), histogram.highestEquivalentValue(value))
  }), { numRuns: 1000 })
})

t.test('buckets follow one another without a gap', async (t) => {
  const wrong = []
  for (let place = 0, last = -1; place < 45_000; place++) {
    if (placeOf(last + 1) !== place || placeOf(highestOf(place)) !== place) wrong.push(place)
    last = highestOf(place)
  }
  t.same(wrong, [])
})

t.test("the encoded form equals HdrHistogram's for the same values, and is decoded unchanged", async (t) => {
  fc.assert(fc.property(values, (values) => {
    const theirs = hdr.build(FORM)
    for (const [value, count] of values) theirs.recordValueWithCount(value, count)
    const pairs = placesOf(values).toPairs()
    const encoded = encodeCounts(pairs)
    const read = hdr.decodeFromCompressedBase64(encoded, 64, false)
    assert.deepStrictEqual(countsAt(pairs), countsOf(theirs))
    assert.deepStrictEqual(countsOf(read), countsOf(theirs))
    const readOfTheirs = hdr.decodeFromCompressedBase64(hdr.encodeIntoCompressedBase64(theirs), 64, false)
    assert.deepStrictEqual([read.totalCount, read.maxValue, read.minNonZeroValue], [readOfTheirs.totalCount, readOfTheirs.maxValue, readOfTheirs.minNonZeroValue])
    assert.deepStrictEqual(decodeCounts(encoded), pairs)
    assert.deepStrictEqual(decodeCounts(hdr.encodeIntoCompressedBase64(theirs)), pairs)
  }), { numRuns: 40 })
})

t.test('the sum of two histograms has the counts of both, and none of them changes when another is recorded to later', async (t) => {
  fc.assert(fc.property(values, values, (some, others) => {
    const sum = placesOf(some)
    const other = placesOf(others)
    sum.add(other)
    assert.deepStrictEqual(sum.toPairs(), placesOf([...some, ...others]).toPairs())
    sum.record(7, 1)
    assert.deepStrictEqual(other.toPairs(), placesOf(others).toPairs())
  }))
})

t.test('each bucket leads to the next, and the last to none', async (t) => {
  const filled = [0, 63, 64, 640, 703, 900]
  const places = placesOf([[0, 1], [63, 2], [64, 1], [640, 1], [703, 1], [900, 5]])
  const all = Array.from({ length: 901 }, (_, place) => place)
  t.same(all.map((place) => places.nextFrom(place)), all.map((place) => filled.find((each) => each >= place)))
  t.equal(places.nextFrom(901), -1)
  t.equal(places.nextFrom(1e6), -1)
  t.equal(places.countAt(63), 2)
  t.equal(places.countAt(1e6), 0)
  t.equal(new Places().nextFrom(0), -1)
})
