'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { connectionStartTimes } = require('../../lib/load/ramp-users')

t.test('the first users start at once, the others evenly spaced, the last at the end of the ramp', async (t) => {
  t.same(connectionStartTimes({ from: 2, to: 6, over: 10 }), [0, 0, 2.5, 5, 7.5, 10])
  t.same(connectionStartTimes({ from: 0, to: 4, over: 2 }), [0.5, 1, 1.5, 2])
})

t.test('without a ramp all start at once', async (t) => {
  t.same(connectionStartTimes({ from: 3, to: 3, over: 10 }), [0, 0, 0])
  t.same(connectionStartTimes({ from: 1, to: 3, over: 0 }), [0, 0, 0])
})

t.test('property: at any time the number of started users is the ideal one, rounded down', async () => {
  const users = fc.integer({ min: 0, max: 200 })
  fc.assert(fc.property(users, users, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 99 }),
    (from, more, over, percent) => {
      const starts = connectionStartTimes({ from, to: from + more, over })
      // Halfway between two starts, so that rounding cannot matter.
      const step = Math.floor(more * percent / 100)
      const time = more === 0 ? over : (step + 0.5) / more * over
      return starts.length === from + more && starts.filter((start) => start <= time).length === from + step &&
        starts.every((start, i) => start <= over && (i === 0 || start >= starts[i - 1]))
    }))
})
