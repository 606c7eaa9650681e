'use strict'

// How a run is divided among threads, compared with arithmetic.

const t = require('tap')
const fc = require('../../support/fast-check')
const { createPacer } = require('../../../lib/load')
const { numberInWhole, pacerOf, requestsOf, shareOf } = require('../../../lib/engine/deal/part')

const parts = (of) => Array.from({ length: of }, (_, share) => ({ share, of }))
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0)

function all (pacer, count = Infinity) {
  const found = []
  while (found.length < count) {
    const due = pacer.next()
    if (due === Infinity) break
    found.push({ due, connection: pacer.connection })
  }
  return found
}

t.test('ten connections on four threads', async (t) => {
  t.same(parts(4).map((part) => shareOf(10, part)), [3, 3, 2, 2])
  t.same(parts(4).map((part) => requestsOf(1003, 10, part)), [301, 301, 201, 200])
  t.same(parts(4).map((part) => numberInWhole(1, part)), [4, 5, 6, 7])
})

t.test('fewer requests than threads', async (t) => {
  t.same(parts(4).map((part) => requestsOf(2, 10, part)), [1, 1, 0, 0])
})

t.test('no limit means no limit for every part', async (t) => {
  for (const part of parts(3)) t.equal(requestsOf(Infinity, 5, part), Infinity)
})

t.test('property: the parts add up to the whole, each in proportion to its connections', async () => {
  const cases = fc.tuple(fc.nat(100000), fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 32 }))
  fc.assert(fc.property(cases, ([count, connections, threads]) => {
    const all = parts(Math.min(threads, connections))
    const isProportional = all.every((part) => {
      const share = count * shareOf(connections, part) / connections
      return Math.abs(requestsOf(count, connections, part) - share) <= shareOf(connections, part)
    })
    return isProportional && sum(all.map((part) => shareOf(connections, part))) === connections &&
      sum(all.map((part) => requestsOf(count, connections, part))) === count
  }))
})

const schedules = fc.oneof(
  fc.record({ kind: fc.constant('constant'), rate: fc.double({ min: 0.5, max: 300, noNaN: true }), perConnection: fc.boolean(), arrivals: fc.constantFrom('uniform', 'poisson'), seed: fc.integer() }),
  fc.record({ kind: fc.constant('bursts'), size: fc.integer({ min: 1, max: 20 }), interval: fc.double({ min: 0.1, max: 1, noNaN: true }) })
)
const runs = fc.record({
  schedule: schedules,
  connections: fc.integer({ min: 1, max: 12 }),
  threads: fc.integer({ min: 1, max: 8 }),
  total: fc.oneof(fc.constant(Infinity), fc.integer({ min: 8, max: 300 }))
})

t.test('property: the arrivals of all parts are those of the run, each once, to the last bit', async () => {
  fc.assert(fc.property(runs, ({ schedule, connections, threads, total }) => {
    const plan = { schedule, connections }
    const of = Math.min(threads, connections, total)
    const whole = all(createPacer(schedule, { duration: 2.5 }), total).map(({ due }) => due)
    const dealt = parts(of).map((part) => all(pacerOf(plan, part, { duration: 2.5, total }), requestsOf(total, connections, part)))
    const together = dealt.flat().map(({ due }) => due).sort((a, b) => a - b)
    const isFairlyDealt = dealt.every((arrivals, share) => arrivals.every(({ due, connection }, index) => {
      const places = shareOf(connections, { share, of })
      const number = Math.floor(index / places) * connections + numberInWhole(index % places, { share, of })
      return due === whole[number] && (!schedule.perConnection || connection === index % places)
    }))
    return isFairlyDealt && together.length === whole.length && together.every((due, index) => due === whole[index])
  }))
})

t.test('property: with a limit, the schedule ends at the same time in all parts', async () => {
  fc.assert(fc.property(runs.filter(({ total }) => total !== Infinity), ({ schedule, connections, threads, total }) => {
    const of = Math.min(threads, connections, total)
    const whole = createPacer(schedule, {})
    all(whole, total)
    const end = whole.next()
    return parts(of).every((part) => {
      const pacer = pacerOf({ schedule, connections }, part, { duration: Infinity, total })
      all(pacer, requestsOf(total, connections, part))
      return pacer.next() === end && (of === 1 || pacer.next() === Infinity)
    })
  }))
})

t.test('a part of a warm-up without connections has no arrivals', async (t) => {
  const plan = { schedule: { kind: 'constant', rate: 10 }, connections: 1 }
  t.equal(all(pacerOf(plan, { share: 0, of: 3 }, { duration: 1, total: Infinity })).length, 10)
  for (const share of [1, 2]) {
    t.equal(shareOf(1, { share, of: 3 }), 0)
    t.same(all(pacerOf(plan, { share, of: 3 }, { duration: 1, total: Infinity })), [])
  }
})
