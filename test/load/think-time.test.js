'use strict'

const t = require('tap')
const { createThinkTime } = require('../../lib/load/think-time')

t.test('a fixed pause is always the same', async (t) => {
  const thinkTime = createThinkTime({ from: 0.1, to: 0.1 }, 1)
  for (let i = 0; i < 100; i++) t.equal(thinkTime.next(), 0.1)
})

t.test('a range is used uniformly, including both ends', async (t) => {
  const thinkTime = createThinkTime({ from: 0.5, to: 2.5 }, 1)
  const size = 100000
  const pauses = Float64Array.from({ length: size }, () => thinkTime.next()).sort()
  t.ok(pauses[0] >= 0.5 && pauses[0] < 0.501)
  t.ok(pauses[size - 1] <= 2.5 && pauses[size - 1] > 2.499)
  let distance = 0
  pauses.forEach((pause, i) => { distance = Math.max(distance, Math.abs((pause - 0.5) / 2 - (i + 0.5) / size)) })
  t.ok(distance * Math.sqrt(size) < 1.63, `Kolmogorov-Smirnov, 1 % level: ${distance * Math.sqrt(size)}`)
})

t.test('reproducible: the same seed gives the same pauses, another seed different ones', async (t) => {
  const pauses = (seed) => {
    const thinkTime = createThinkTime({ from: 0, to: 1 }, seed)
    return Array.from({ length: 10 }, () => thinkTime.next())
  }
  t.same(pauses(3), pauses(3))
  t.notSame(pauses(3), pauses(4))
  t.same(pauses(), pauses(0), 'the default seed is 0')
})

t.test('a mean gives exponentially distributed pauses', async (t) => {
  const thinkTime = createThinkTime({ mean: 2 }, 5)
  const size = 100000
  const pauses = Float64Array.from({ length: size }, () => thinkTime.next()).sort()
  let distance = 0
  pauses.forEach((pause, i) => { distance = Math.max(distance, Math.abs(1 - Math.exp(-pause / 2) - (i + 0.5) / size)) })
  t.ok(distance * Math.sqrt(size) < 1.63, `Kolmogorov-Smirnov, 1 % level: ${distance * Math.sqrt(size)}`)
})
