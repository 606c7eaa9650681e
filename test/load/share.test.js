'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { CODES } = require('../../lib/base/errors')
const { averageRate, createPacer, expectedArrivals, scheduleDuration } = require('../../lib/load')
const { nearest } = require('../../lib/load/loads')

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
  }),
  fc.record({ kind: fc.constant('recorded'), times: fc.uniqueArray(fc.nat(3000), { maxLength: 30 }).map((all) => Float64Array.from(all, (time) => time / 1000).sort()), duration: fc.constant(3) })
)
const schedules = fc.tuple(kinds, fc.constantFrom('uniform', 'poisson'), fc.integer())
  .map(([kind, arrivals, seed]) => ({ ...kind, arrivals: kind.kind === 'recorded' ? 'uniform' : arrivals, seed }))

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

t.test('property: due times of any schedule do not decrease, and the end is final', async () => {
  fc.assert(fc.property(schedules, fc.integer({ min: 1, max: 9 }), fc.nat(8), (schedule, of, nth) => {
    const pacer = createPacer(schedule, { share: nth % of, of, duration: 2.5 })
    const found = all(pacer)
    return found.every(({ due }, i) => due >= 0 && due <= 2.5 && (i === 0 || due >= found[i - 1].due)) &&
      pacer.next() === Infinity && pacer.next() === Infinity
  }))
})

t.test('property: arrivals dealt in rounds of several places, up to a limit; the shares learn when the total is used up', async () => {
  fc.assert(fc.property(schedules, fc.integer({ min: 2, max: 6 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 40 }), (schedule, of, cycle, limit) => {
    const whole = all(createPacer(schedule, { duration: 2.5 }))
    return Array.from({ length: of }, (_, share) => share).every((share) => {
      const pacer = createPacer(schedule, { share, of, cycle, limit, duration: 2.5 })
      const own = whole.filter(({ index }) => index < limit && (index % cycle) % of === share)
      // A share without a place in a round has nothing to do and no end to announce.
      const last = share < cycle ? whole.slice(limit, limit + 1) : []
      const found = all(pacer)
      return found.length === own.length + last.length && [...own, ...last].every(({ due }, position) => found[position].due === due) && pacer.next() === Infinity
    })
  }))
})

t.test('recorded arrivals are due at their recorded times, and none follow', async (t) => {
  const schedule = { kind: 'recorded', times: Float64Array.of(0, 0.5, 0.75, 2), duration: 2.5 }
  t.same(all(createPacer(schedule)).map(({ due }) => due), [0, 0.5, 0.75, 2])
  t.same(all(createPacer(schedule, { duration: 2 })).map(({ due }) => due), [0, 0.5, 0.75])
  t.same([0, 0.1, 0.5, 0.6, 2, 2.1, 9].map((seconds) => expectedArrivals(schedule, seconds)), [0, 1, 1, 2, 3, 4, 4])
  t.equal(scheduleDuration(schedule), 2.5)
  t.equal(averageRate(schedule, 0.5, 2.5), 1.5)
  t.same([-1, 0, 0.2, 0.3, 0.625, 0.7, 1.9, 5].map((seconds) => nearest(schedule.times, seconds)), [0, 0, 0, 1, 1, 2, 3, 3])
})

t.test('schedules that cannot be divided, and values that are not schedules, are errors', async (t) => {
  const constant = { kind: 'constant', rate: 1 }
  for (const [share, of] of [[-1, 2], [2, 2], [NaN, 2]]) t.throws(() => createPacer(constant, { share, of }), { code: CODES.BAD_ARGUMENT, message: `There is no share ${share} of ${of}` })
  for (const use of [createPacer, scheduleDuration, (schedule) => expectedArrivals(schedule, 1), (schedule) => averageRate(schedule, 0, 1)]) {
    t.throws(() => use({ kind: 'odd' }), { code: CODES.BAD_ARGUMENT, message: /no schedule of kind 'odd'/ })
  }
  t.throws(() => createPacer({ ...constant, arrivals: 'odd' }), { code: CODES.BAD_ARGUMENT, message: /no 'odd' arrivals/ })
})
