'use strict'

const t = require('tap')
const { createPacer, endOfArrivals } = require('../../lib/load')

// The time at which `count` arrivals of a schedule are over.
function endOf (schedule, count) {
  const pacer = createPacer(schedule)
  for (let index = 0; index < count; index++) pacer.next()
  return endOfArrivals(schedule, count, pacer.next())
}

t.test('arrivals are over when the next one is due', async (t) => {
  t.equal(endOf({ kind: 'constant', rate: 10 }, 1), 0.1)
  t.equal(endOf({ kind: 'constant', rate: 10 }, 50), 5)
  t.equal(endOf({ kind: 'stages', stages: [{ duration: 2, from: 1, to: 1 }, { duration: 3, from: 0, to: 0 }, { duration: 1, from: 4, to: 4 }] }, 2), 5)
})

t.test('a burst lasts for its interval, also if it is cut short', async (t) => {
  const bursts = { kind: 'bursts', size: 10, interval: 0.5 }
  t.equal(endOf(bursts, 10), 0.5)
  t.equal(endOf(bursts, 9), 0.5)
  t.equal(endOf(bursts, 1), 0.5)
  t.equal(endOf(bursts, 11), 1)
  t.equal(endOf(bursts, 20), 1)
})
