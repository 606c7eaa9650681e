'use strict'

// The range of a statistic when some values are lower bounds and others are missing, computed by sorting: with each unknown value as small
// as possible, and with each infinite.

const t = require('tap')
const hdr = require('hdr-histogram-js')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const { durationStatistics, missingStatistics, percentileName } = require('../../lib/metrics/statistics')
const { Bounds } = require('../../lib/thresholds/bounds')
const { countAbove, decode, percentOf, valueOfRank } = require('../../lib/thresholds/histograms')

// Integers (µs) that a histogram stores exactly.
const values = (constraints) => fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 12, ...constraints })
const PERCENTS = [0.001, 10, 25, 50, 75, 90, 99, 99.999]

function distributionOf (values) {
  const distribution = new Distribution()
  for (const value of values) distribution.record(value)
  return distribution
}

const rising = (values) => [...values].sort((a, b) => a - b)
const ofRank = (values, percent) => values[Math.max(1, Math.ceil(percent / 100 * values.length - 1e-9)) - 1]
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0)

/** Each statistic by its name, ms. */
function figuresOf (microseconds) {
  const sorted = rising(microseconds).map((value) => value / 1000)
  const total = sumOf(sorted)
  const mean = total / sorted.length
  const percentiles = PERCENTS.map((percent) => [percentileName(percent), ofRank(sorted, percent)])
  return { min: sorted[0], max: sorted.at(-1), total, mean, average: mean, ...Object.fromEntries(percentiles) }
}

function deviationOf (microseconds) {
  const mean = sumOf(microseconds) / microseconds.length
  return Math.sqrt(sumOf(microseconds.map((value) => (value - mean) ** 2)) / microseconds.length) / 1000
}

const isNear = (one, other) => one === other || Math.abs(one - other) < 1e-6

t.test('from each unknown value as small as possible to each infinite; no narrower if histograms are missing', async (t) => {
  fc.assert(fc.property(values({ minLength: 1 }), values(), values(), (answered, bounds, missing) => {
    const all = distributionOf([...answered, ...bounds])
    const statistics = durationStatistics(all)
    const unknown = {
      bounds: { count: bounds.length, smallest: bounds.length === 0 ? null : Math.min(...bounds) / 1000 },
      missing: missing.length === 0 ? undefined : missingStatistics(distributionOf(missing))
    }
    const encoded = { all: all.encode(), bounds: distributionOf(bounds).encode(), missing: distributionOf(missing).encode() }
    const least = figuresOf([...answered, ...bounds, ...missing])
    const greatest = figuresOf([...answered, ...bounds.map(() => Infinity), ...missing.map(() => Infinity)])
    const exact = new Bounds(statistics, unknown, encoded)
    const others = [{ all: encoded.all }, { all: encoded.all, bounds: encoded.bounds }, {}].map((some) => new Bounds(statistics, unknown, some))
    if (exact.count !== bounds.length + missing.length || exact.total !== answered.length + exact.count) return false
    // A bound that grows towards the mean reduces the deviation.
    const mean = sumOf([...answered, ...bounds, ...missing]) / exact.total
    const possible = [bounds, bounds.map((bound) => Math.max(bound, mean))].map((grown) => deviationOf([...answered, ...grown, ...missing]))
    const deviation = exact.range('stddev')
    if (exact.count === 0 ? !isNear(deviation.atLeast, statistics.stddev) : deviation.atLeast > Math.min(...possible) + 1e-3 || deviation.atMost !== Infinity) return false
    return Object.keys(least).every((name) => {
      const { atLeast, atMost } = exact.range(name)
      if (!isNear(atLeast, least[name]) || !isNear(atMost, greatest[name])) return false
      return others.every((other) => {
        const range = other.range(name)
        return range.atLeast <= least[name] + 1e-6 && range.atMost >= greatest[name] - 1e-6
      })
    })
  }), { numRuns: 100 })
})

t.test('of what a person cut off, a figure counts those that are longer than it would be without any of them', async (t) => {
  const few = values({ maxLength: 6 })
  let counted = 0
  fc.assert(fc.property(values({ minLength: 1 }), few, few, fc.boolean(), few, few, (answered, cutBounds, cutMissing, isAllCut, otherBounds, otherMissing) => {
    const [moreBounds, moreMissing] = isAllCut ? [[], []] : [otherBounds, otherMissing]
    const [bounds, missing] = [[...cutBounds, ...moreBounds], [...cutMissing, ...moreMissing]]
    const all = distributionOf([...answered, ...bounds])
    const statistics = durationStatistics(all)
    const unknown = {
      bounds: { count: bounds.length, smallest: bounds.length === 0 ? null : Math.min(...bounds) / 1000 },
      missing: missing.length === 0 ? undefined : missingStatistics(distributionOf(missing))
    }
    const encoded = { all: all.encode(), bounds: distributionOf(bounds).encode(), missing: distributionOf(missing).encode() }
    const interrupted = [[cutBounds, true], [cutMissing, false]].filter(([some]) => some.length > 0)
      .map(([some, isInside]) => ({ count: some.length, largest: Math.max(...some) / 1000, total: sumOf(some) / 1000, encoded: distributionOf(some).encode(), isInside }))
    // What would be unknown if nothing of it were due to the person.
    const plain = new Bounds(statistics, unknown, encoded)
    const found = new Bounds(statistics, { ...unknown, interrupted }, encoded)
    const sorted = rising(answered).map((value) => value / 1000)
    const cut = [...cutBounds, ...cutMissing].map((value) => value / 1000)
    const others = moreBounds.length + moreMissing.length
    const known = (percent, count) => sorted[Math.max(1, Math.ceil(percent / 100 * count - 1e-9)) - 1] ?? Infinity
    const expectedOf = (name) => {
      const usual = plain.range(name)
      if (cut.length === 0) return usual
      const percent = PERCENTS.find((each) => percentileName(each) === name)
      if (percent === undefined) {
        const without = { max: statistics.max, mean: sumOf(sorted) / sorted.length, average: sumOf(sorted) / sorted.length }[name]
        return others === 0 && cut.every((value) => value < without) ? { atLeast: without, atMost: without } : usual
      }
      const without = known(percent, sorted.length + others)
      const atMost = known(percent, sorted.length + others + cut.filter((value) => value > without).length)
      if (atMost === Infinity) return usual
      return { atLeast: others === 0 ? without : Math.min(without, usual.atLeast), atMost }
    }
    return [...PERCENTS.map(percentileName), 'min', 'max', 'mean', 'average', 'total', 'stddev', 'totalCount'].every((name) => {
      const [range, expected] = [found.range(name), expectedOf(name)]
      if (range.atMost !== plain.range(name).atMost) counted++
      return isNear(range.atLeast, expected.atLeast) && isNear(range.atMost, expected.atMost)
    })
  }), { numRuns: 200 })
  t.ok(counted > 100, `${counted} figures that are better known than if nobody had stopped the run`)
})

t.test('values above a time are those that are longer, not those that are equal', async (t) => {
  const histogram = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: 1e6, numberOfSignificantValueDigits: 3, useWebAssembly: false })
  for (const value of [100, 100, 200, 300]) histogram.recordValue(value)
  t.same([0.099, 0.1, 0.2, 0.3].map((time) => countAbove(histogram, time, 9)), [4, 2, 1, 0])
  t.equal(countAbove(null, 0.1, 9), 9, 'without a histogram, possibly all')
})

t.test('the last four histograms are kept decoded, and no more', async (t) => {
  const encoded = [1, 2, 3, 4, 5].map((value) => distributionOf([value]).encode())
  const [first, ...others] = encoded.map((text) => decode(text))
  others.forEach((histogram, index) => t.equal(decode(encoded[index + 1]), histogram))
  t.not(decode(encoded[0]), first)
  t.not(decode(encoded[1]), others[0], 'the oldest one made way')
  t.equal(decode(encoded[4]), others[3])
  t.equal(decode(undefined), null)
  for (const bad of ['', 'x', 'SElTVFpHSA==']) t.equal(decode(bad), null, bad)
})

t.test('the value of a rank in several histograms, whatever their sizes, without those of another one', async (t) => {
  const histogramOf = (values, most) => {
    const histogram = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: most, numberOfSignificantValueDigits: 3, useWebAssembly: false })
    for (const value of values) histogram.recordValue(value)
    return histogram
  }
  const [small, large] = [histogramOf([100, 300, 300], 2000), histogramOf([200, 400, 1_000_000], 1e7)]
  const ranks = (all, without) => [1, 2, 3, 4, 5, 6, 7].map((rank) => valueOfRank(all, without, rank))
  for (const all of [[small, large], [large, small]]) {
    const found = ranks(all, null)
    t.same(found.slice(0, 5), [0.1, 0.2, 0.3, 0.3, 0.4])
    t.ok(Math.abs(found[5] / 1000 - 1) < 0.001)
    t.equal(found[6], Infinity)
    t.same(ranks(all, histogramOf([300, 400], 2000)).slice(0, 3), [0.1, 0.2, 0.3])
    t.equal(ranks(all, histogramOf([300, 400], 2000))[4], Infinity)
  }
  t.same(['p50', 'p99_9', 'p0_001', 'p100', 'max', 'p', 'p99.9', 'xp50', 'p9_9_9'].map(percentOf), [50, 99.9, 0.001, 100, null, null, null, null, null])
})

t.test('no percentile is beyond the greatest value, although a place of the histogram has several of them', async (t) => {
  const [all, bounds, missing] = [[12_003, 12_004, 12_005], [12_003], [12_001]].map(distributionOf)
  const statistics = durationStatistics(all)
  const encoded = { all: all.encode(), bounds: bounds.encode(), missing: missing.encode() }
  const lacking = { missing: missingStatistics(missing) }
  const known = { atLeast: 12.005, atMost: 12.005 }
  t.same(new Bounds(statistics, lacking, encoded).range('p75'), known, 'with a missing value')
  t.same(new Bounds(statistics, lacking, { all: encoded.all }).range('p99'), { atLeast: 12.005, atMost: Infinity }, 'of which nothing else is known')
  t.same(new Bounds(statistics, { ...lacking, bounds: { count: 1, smallest: 12.003 } }, encoded).range('p50'), known, 'with a lower bound as well')
})
