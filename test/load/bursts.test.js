'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPacer, expectedArrivals, scheduleDuration } = require('../../lib/load')

const bursts = (size, interval, rest) => ({ kind: 'bursts', size, interval, ...rest })

t.test('all arrivals of a burst are due together, at multiples of the interval', async (t) => {
  const pacer = createPacer(bursts(3, 0.5))
  const dues = Array.from({ length: 9 }, () => pacer.next())
  t.same(dues, [0, 0, 0, 0.5, 0.5, 0.5, 1, 1, 1])
  t.equal(pacer.index, 8)
})

t.test('burst k is due at exactly k × interval', async (t) => {
  for (const interval of [0.1, 1 / 3, 7]) {
    const pacer = createPacer(bursts(1, interval))
    for (let k = 0; k < 1000; k++) {
      if (pacer.next() !== k * interval) t.fail(`burst ${k} of every ${interval} s`)
    }
    const far = createPacer(bursts(10, interval), { share: 1e9 - 1, of: 1e9 })
    t.equal(far.next(), (1e8 - 1) * interval)
  }
})

t.test('a run contains the bursts before its end', async (t) => {
  for (const [size, interval, seconds, count] of [
    [10, 1, 3, 30], [10, 1, 3.001, 40], [10, 1, 2.999, 30], [1, 0.1, 0.3, 3], [2, 0.1, 0.7, 14], [5, 60, 1, 5],
    [5, 1 / 3, 1, 15], [5, 1, 0, 0]
  ]) {
    const schedule = bursts(size, interval)
    t.equal(expectedArrivals(schedule, seconds), count, `${size} every ${interval} s for ${seconds} s`)
    const pacer = createPacer(schedule, { duration: seconds })
    for (let i = 0; i < count; i++) t.ok(pacer.next() < seconds)
    t.equal(pacer.next(), Infinity)
    t.equal(pacer.next(), Infinity)
  }
  t.equal(scheduleDuration(bursts(10, 1)), Infinity)
})

t.test('counts agree with integer arithmetic, next to a burst as well', async () => {
  const whole = fc.integer({ min: 1, max: 100000 })
  const nearBurst = fc.tuple(whole, fc.nat(1000), fc.constantFrom(-1, 0, 1)).map(([interval, bursts, off]) => [interval, Math.max(0, interval * bursts + off)])
  fc.assert(fc.property(fc.integer({ min: 1, max: 1000 }), fc.oneof(fc.tuple(whole, whole), nearBurst), (size, [interval, seconds]) => {
    const count = expectedArrivals(bursts(size, interval / 1000), seconds / 1000)
    return count === size * Math.floor((seconds + interval - 1) / interval)
  }), { numRuns: 3000 })
})

t.test('with poisson arrivals the size of each burst is random, with the given mean', async (t) => {
  const schedule = bursts(20, 0.5, { arrivals: 'poisson', seed: 3 })
  const pacer = createPacer(schedule, { duration: 2000 })
  const sizes = new Array(4000).fill(0)
  let total = 0
  for (let due = pacer.next(); due !== Infinity; due = pacer.next()) {
    sizes[due / 0.5] += 1
    total += 1
  }
  t.equal(sizes.length, 4000, 'every arrival is at a multiple of the interval')
  t.equal(expectedArrivals(schedule, 2000), 80000)
  t.ok(Math.abs(total - 80000) < 4 * Math.sqrt(80000), `${total} arrivals`)
  const mean = total / sizes.length
  const variance = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / sizes.length
  t.ok(Math.abs(variance / mean - 1) < 0.1, `variance / mean of the sizes is ${variance / mean}`)
})
