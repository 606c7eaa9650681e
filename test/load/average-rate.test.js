'use strict'

const t = require('tap')
const { averageRate } = require('../../lib/load')

t.test('a constant rate is the same at all times, with regular and with random arrivals', async (t) => {
  for (const arrivals of ['uniform', 'poisson']) {
    const schedule = { kind: 'constant', rate: 40, arrivals, seed: 1 }
    t.equal(averageRate(schedule, 0, 1), 40)
    t.equal(averageRate(schedule, 7.25, 9.25), 40)
  }
})

t.test('of a ramp it is the rate in the middle; after the last stage it is 0', async (t) => {
  const schedule = { kind: 'stages', stages: [{ duration: 10, from: 0, to: 100 }, { duration: 5, from: 20, to: 20 }] }
  t.ok(Math.abs(averageRate(schedule, 4, 6) - 50) < 1e-9)
  t.ok(Math.abs(averageRate(schedule, 0, 10) - 50) < 1e-9)
  t.ok(Math.abs(averageRate(schedule, 9, 11) - (95 + 20) / 2) < 1e-9)
  t.equal(averageRate(schedule, 15, 16), 0)
})

t.test('of bursts it is their average rate', async (t) => {
  const schedule = { kind: 'bursts', size: 30, interval: 0.5 }
  t.equal(averageRate(schedule, 1, 3), 60)
  t.equal(averageRate(schedule, 0.1, 0.2), 0)
})
