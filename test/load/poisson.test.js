'use strict'

const t = require('tap')
const { createPacer, expectedArrivals } = require('../../lib/load')
const { createExponential } = require('../../lib/load/random')

const constant = (rate, seed) => ({ kind: 'constant', rate, arrivals: 'poisson', seed })
const ramp = { kind: 'stages', arrivals: 'poisson', seed: 11, stages: [{ duration: 100, from: 0, to: 2000 }] }

function all (schedule, options) {
  const pacer = createPacer(schedule, options)
  const dues = []
  for (let due = pacer.next(); due !== Infinity; due = pacer.next()) dues.push(due)
  return dues
}

// The Kolmogorov-Smirnov statistic: the greatest difference between the empirical and the expected distribution, times √size. It is below
// 1.63 for 99 of 100 seeds if the values follow the distribution.
function kolmogorovSmirnov (values, distribution) {
  const sorted = Float64Array.from(values).sort()
  let distance = 0
  sorted.forEach((value, i) => {
    const expected = distribution(value)
    distance = Math.max(distance, expected - i / sorted.length, (i + 1) / sorted.length - expected)
  })
  return distance * Math.sqrt(sorted.length)
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const variance = (values, center = mean(values)) => mean(values.map((value) => (value - center) ** 2))
const gapsOf = (dues) => dues.map((due, i) => i === 0 ? due : due - dues[i - 1])

t.test('exponential numbers: mean, variance, distribution, tail', async (t) => {
  const numbers = createExponential(2)
  const size = 400000
  const values = Array.from({ length: size }, () => numbers.next())
  t.ok(Math.abs(mean(values) - 1) < 4 / Math.sqrt(size), `mean ${mean(values)}`)
  t.ok(Math.abs(variance(values, 1) - 1) < 4 * Math.sqrt(8 / size), `variance ${variance(values, 1)}`)
  const statistic = kolmogorovSmirnov(values, (x) => -Math.expm1(-x))
  t.ok(statistic < 1.63, `Kolmogorov-Smirnov ${statistic}`)
  for (const x of [0.01, 0.5, Math.LN2, 1, 3, 6, 9]) {
    const expected = size * Math.exp(-x)
    const found = values.filter((value) => value > x).length
    t.ok(Math.abs(found - expected) < 4 * Math.sqrt(expected), `${found} above ${x}, ${expected} expected`)
  }
})

// Some seeds are unlucky even if everything is right, so each statistic is computed over all of these.
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed)

t.test('gaps are exponential with mean 1 / rate, and independent', async (t) => {
  const rate = 250
  const runs = SEEDS.map((seed) => gapsOf(all(constant(rate, seed), { duration: 80 })))
  const gaps = runs.flat()
  const size = gaps.length
  t.ok(Math.abs(size - 800000) < 4 * Math.sqrt(800000), `${size} arrivals`)
  t.ok(Math.abs(mean(gaps) * rate - 1) < 4 / Math.sqrt(size), `mean ${mean(gaps)}`)
  t.ok(Math.abs(variance(gaps) * rate * rate - 1) < 4 * Math.sqrt(8 / size), `variance ${variance(gaps)}`)
  const neighbours = gaps.slice(1).map((gap, i) => (gap * rate - 1) * (gaps[i] * rate - 1))
  t.ok(Math.abs(mean(neighbours)) < 4 / Math.sqrt(size), `correlation of neighbours ${mean(neighbours)}`)
  const statistics = runs.map((run) => kolmogorovSmirnov(run, (gap) => -Math.expm1(-rate * gap)))
  const unlucky = statistics.filter((statistic) => statistic > 1.36).length
  t.ok(unlucky <= 6, `${unlucky} of 40 above the 5 % level`)
  t.ok(Math.max(...statistics) < 2.2, 'none above the 0.01 % level')
})

t.test('the number of arrivals per second has a variance equal to its mean', async (t) => {
  const perSecond = new Array(40 * 400).fill(0)
  for (const seed of SEEDS) {
    for (const due of all(constant(30, seed), { duration: 400 })) perSecond[400 * seed + Math.floor(due)] += 1
  }
  const size = perSecond.length
  t.ok(Math.abs(mean(perSecond) - 30) < 4 * Math.sqrt(30 / size), `mean ${mean(perSecond)}`)
  t.ok(Math.abs(variance(perSecond) / 30 - 1) < 4 * Math.sqrt(2 / size), `variance ${variance(perSecond)}`)
})

t.test('the same seed gives the same arrivals, to the last bit, on every machine', async (t) => {
  t.same(all(constant(100, 42), { duration: 5 }), all(constant(100, 42), { duration: 5 }))
  t.notSame(all(constant(100, 42), { duration: 5 }), all(constant(100, 43), { duration: 5 }))
  const pacer = createPacer(constant(1, 42))
  t.same([pacer.next(), pacer.next(), pacer.next(), pacer.next()],
    [0.3622413512970504, 1.1707150868370677, 2.1978308070172066, 2.457416769971526])
})

t.test('another rate gives the same arrivals on a different time scale', async (t) => {
  const slow = all(constant(1, 5), { duration: 1000 })
  const fast = all(constant(8, 5), { duration: 125 })
  t.same(fast, slow.map((due) => due / 8))
})

t.test('ends after the duration, and stays ended', async (t) => {
  const endless = createPacer(constant(100, 4))
  const pacer = createPacer(constant(100, 4), { duration: 2 })
  let arrivals = 0
  for (let due = endless.next(); due < 2; due = endless.next(), arrivals++) t.equal(pacer.next(), due)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.index, arrivals - 1)
})

t.test('stages: the density of the arrivals follows the rate', async (t) => {
  const dues = all(ramp)
  t.ok(Math.abs(dues.length - 100000) < 4 * Math.sqrt(100000), `${dues.length} arrivals`)
  t.ok(dues.every((due) => due >= 0 && due <= 100))
  const statistic = kolmogorovSmirnov(dues, (due) => (due / 100) ** 2)
  t.ok(statistic < 1.63, `Kolmogorov-Smirnov ${statistic}`)
})

t.test('stages: measured in expected arrivals, the gaps are exponential with mean 1', async (t) => {
  const positions = all(ramp).map((due) => 10 * due * due)
  t.ok(kolmogorovSmirnov(gapsOf(positions), (gap) => -Math.expm1(-gap)) < 1.63)
})

t.test('stages: nothing arrives in a pause', async (t) => {
  const dues = all({
    kind: 'stages',
    arrivals: 'poisson',
    seed: 1,
    stages: [{ duration: 10, from: 100, to: 100 }, { duration: 10, from: 0, to: 0 }, { duration: 10, from: 100, to: 0 }]
  })
  t.equal(dues.filter((due) => due > 10 && due < 20).length, 0)
  t.ok(Math.abs(dues.filter((due) => due <= 10).length - 1000) < 4 * Math.sqrt(1000))
  t.ok(Math.abs(dues.filter((due) => due >= 20).length - 500) < 4 * Math.sqrt(500))
})

t.test('stages with one rate are the constant schedule', async (t) => {
  const stages = [{ duration: 2, from: 50, to: 50 }, { duration: 3, from: 50, to: 50 }]
  const dues = all({ kind: 'stages', stages, arrivals: 'poisson', seed: 8 })
  const expected = all(constant(50, 8), { duration: 5 })
  t.equal(dues.length, expected.length)
  t.ok(dues.every((due, i) => Math.abs(due - expected[i]) < 1e-12))
})

t.test('the expected count is the area under the rate, an integer or not', async (t) => {
  t.equal(expectedArrivals(constant(0.5, 1), 5), 2.5)
  t.equal(expectedArrivals(constant(100, 1), 3), 300)
  t.equal(expectedArrivals(ramp, 50), 25000)
  t.equal(expectedArrivals(ramp, 0.25), 0.625)
  t.equal(expectedArrivals(ramp, Infinity), 100000)
})
