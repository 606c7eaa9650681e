'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPacer, expectedArrivals, scheduleDuration } = require('../../lib/load')

const constant = (rate) => ({ kind: 'constant', rate, arrivals: 'uniform', perConnection: false })

function all (pacer) {
  const dues = []
  for (let due = pacer.next(); due !== Infinity; due = pacer.next()) dues.push(due)
  return dues
}

t.test('arrival i is due at exactly i / rate', async (t) => {
  for (const rate of [0.1, 1 / 3, 1, 5, 7, 100, 2000, 100000]) {
    const pacer = createPacer(constant(rate))
    t.equal(pacer.index, -1, 'no arrival yet')
    for (let i = 0; i < 1000; i++) {
      const due = pacer.next()
      if (due !== i / rate || pacer.index !== i) t.fail(`arrival ${i} at ${rate} per second: ${due}`)
    }
  }
})

t.test('does not drift: after a billion arrivals the due time is still a division', async (t) => {
  const far = 1e9
  for (const rate of [0.1, 3, 99999]) {
    const pacer = createPacer(constant(rate), { share: far, of: far + 1 })
    t.equal(pacer.next(), far / rate)
    t.equal(pacer.index, far)
    t.equal(pacer.next(), (2 * far + 1) / rate)
  }
})

t.test('a run includes arrivals due before its end, and not one due at its end', async (t) => {
  for (const [rate, seconds, count] of [
    [100, 3, 300], [100, 2.999, 300], [100, 2.99, 299], [100, 3.001, 301], [5, 1, 5], [5, 0.1, 1], [5, 0, 0],
    [0.1, 30, 3], [0.1, 30.1, 4], [0.1, 9, 1], [0.1, 0.3, 1], [10, 0.3, 3], [3, 0.1, 1], [30, 0.1, 3], [30, 1.1, 33],
    [1 / 3, 9, 3], [1 / 3, 3, 1], [2 / 3, 3, 2], [1 / 7, 49, 7], [1 / 49, 49, 1], [4.35, 100, 435], [1.1, 10, 11],
    [1000, 1.001, 1001], [0.7, 10, 7], [0.07, 100, 7], [29 / 100, 100, 29], [100000, 3600, 360000000]
  ]) {
    t.equal(expectedArrivals(constant(rate), seconds), count, `${seconds} s at ${rate} per second`)
  }
})

t.test('the pacer of a run ends after as many arrivals, and stays ended', async (t) => {
  const pacer = createPacer(constant(100), { duration: 3 })
  const dues = all(pacer)
  t.equal(dues.length, 300)
  t.equal(dues.at(-1), 2.99)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.index, 299, 'the arrival last returned')
  t.same(all(createPacer(constant(100), { duration: 0 })), [])
})

t.test('without a duration it is endless', async (t) => {
  t.equal(scheduleDuration(constant(100)), Infinity)
  t.equal(expectedArrivals(constant(100), Infinity), Infinity)
})

t.test('counts agree with integer arithmetic for any decimal rate and duration', async () => {
  const decimal = fc.record({ digits: fc.integer({ min: 1, max: 1e6 }), places: fc.integer({ min: 0, max: 4 }) })
  fc.assert(fc.property(decimal, decimal, (rate, time) => {
    const scale = 10n ** BigInt(rate.places + time.places)
    const exact = (BigInt(rate.digits) * BigInt(time.digits) + scale - 1n) / scale
    const count = expectedArrivals(constant(rate.digits / 10 ** rate.places), time.digits / 10 ** time.places)
    return count === Number(exact)
  }), { numRuns: 5000 })
})

t.test('if duration × rate is an integer, it is the count, for any rate', async () => {
  fc.assert(fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.integer({ min: 1, max: 1e9 }), (rate, n) =>
    expectedArrivals(constant(rate), n / rate) === n), { numRuns: 5000 })
})

t.test('due times lie in [0, duration), increase, and are as many as expected', async () => {
  const rates = fc.double({ min: 0.01, max: 1000, noNaN: true })
  fc.assert(fc.property(rates, fc.double({ min: 0, max: 3, noNaN: true }), (rate, duration) => {
    const dues = all(createPacer(constant(rate), { duration }))
    return dues.length === expectedArrivals(constant(rate), duration) &&
      dues.every((due, i) => due >= 0 && due < duration && (i === 0 || due > dues[i - 1]))
  }), { numRuns: 300 })
})

t.test('names an unknown kind of arrivals', async (t) => {
  const code = 'CANNONADE_BAD_ARGUMENT'
  t.throws(() => createPacer({ kind: 'sine', rate: 1 }), { code, message: /'sine'/ })
  t.throws(() => expectedArrivals({ kind: 'sine', rate: 1 }, 1), { code })
  t.throws(() => scheduleDuration({ kind: 'sine', rate: 1 }), { code })
  t.throws(() => createPacer({ kind: 'constant', rate: 1, arrivals: 'pareto' }), { code, message: /'pareto'/ })
  t.throws(() => createPacer(constant(1), { share: 2, of: 2 }), { code, message: /2 of 2/ })
  t.throws(() => createPacer(constant(1), { share: -1, of: 2 }), { code })
})
