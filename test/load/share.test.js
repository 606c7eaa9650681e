'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPacer } = require('../../lib/load')

const rate = fc.double({ min: 0.1, max: 500, noNaN: true })
const stage = fc.record({
  duration: fc.double({ min: 0, max: 2, noNaN: true }),
  from: fc.oneof(fc.constant(0), rate),
  to: fc.oneof(fc.constant(0), rate)
})
const kinds = fc.oneof(
  fc.record({ kind: fc.constant('constant'), rate }),
  fc.record({ kind: fc.constant('stages'), stages: fc.array(stage, { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('bursts'),
    size: fc.integer({ min: 1, max: 30 }),
    interval: fc.double({ min: 0.05, max: 2, noNaN: true })
  })
)
const schedules = fc.tuple(kinds, fc.constantFrom('uniform', 'poisson'), fc.integer())
  .map(([kind, arrivals, seed]) => ({ ...kind, arrivals, seed }))

function all (pacer) {
  const found = []
  for (let due = pacer.next(); due !== Infinity; due = pacer.next()) found.push({ index: pacer.index, due })
  return found
}

t.test('share k of n is arrivals k, k + n, k + 2n, …', async (t) => {
  const pacer = createPacer({ kind: 'constant', rate: 10 }, { share: 2, of: 3, duration: 1 })
  t.equal(pacer.index, -1)
  t.same(all(pacer), [{ index: 2, due: 0.2 }, { index: 5, due: 0.5 }, { index: 8, due: 0.8 }])
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.index, 8, 'the arrival last returned')
})

t.test('a share without arrivals has ended before it began', async (t) => {
  const pacer = createPacer({ kind: 'constant', rate: 1 }, { share: 7, of: 8, duration: 3 })
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.index, -1)
})

t.test('property: the shares together are the schedule, each arrival once, to the last bit', async () => {
  fc.assert(fc.property(schedules, fc.integer({ min: 1, max: 9 }), (schedule, of) => {
    const whole = all(createPacer(schedule, { duration: 2.5 }))
    const shares = Array.from({ length: of }, (_, share) => all(createPacer(schedule, { share, of, duration: 2.5 })))
    return shares.flat().length === whole.length && whole.every(({ index, due }, i) => {
      const arrival = shares[i % of][Math.floor(i / of)]
      return index === i && arrival.index === i && arrival.due === due
    })
  }))
})

t.test('property: whatever the schedule, due times do not decrease and the end is the end', async () => {
  fc.assert(fc.property(schedules, fc.integer({ min: 1, max: 9 }), fc.nat(8), (schedule, of, nth) => {
    const pacer = createPacer(schedule, { share: nth % of, of, duration: 2.5 })
    const found = all(pacer)
    return found.every(({ due }, i) => due >= 0 && due <= 2.5 && (i === 0 || due >= found[i - 1].due)) &&
      pacer.next() === Infinity && pacer.next() === Infinity
  }))
})
