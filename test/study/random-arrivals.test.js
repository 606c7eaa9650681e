'use strict'

const t = require('tap')
const { findCapacity, run, sweep } = require('../..')
const { createExponential } = require('../../lib/load/random')
const { answeredRate, underWayAt } = require('../../lib/study/keeping-up')
const { seedOfArrivals } = require('../../lib/study/random-arrivals')
const { simulate } = require('../simulation/world')

const capacityOf = async (t, service, settings, options) => {
  const { value, world } = await simulate({ seed: options.worldSeed ?? 1, limit: 10_000 }, (world) => {
    const { url } = world.server(service)
    return findCapacity({ url, arrivals: 'poisson', ...options.of }, { slo: 'errors == 0', ...settings })
  })
  t.same(world.leftovers, [])
  return value
}

t.test('a server that answers 25 random requests per second is not said to answer more, however short the runs are', async (t) => {
  for (const [duration, seeds] of [[3, 3], [5, 1]]) {
    const found = []
    for (let seed = 1; seed <= seeds; seed++) {
      // One request at a time, 40 ms each.
      const of = seed % 2 === 0 ? { seed } : {}
      const { capacity, limitedBy } = await capacityOf(t, { serviceTime: 40, slots: 1 }, { duration, rates: { from: 10, to: 100 } }, { worldSeed: seed, of })
      t.ok(capacity <= 25 * 1.05, `runs of ${duration} s, seed ${seed}: ${capacity}`)
      t.equal(limitedBy, 'server')
      found.push(capacity)
    }
    found.sort((a, b) => a - b)
    t.ok(found[found.length >> 1] >= 22, `runs of ${duration} s: ${found}`)
  }
})

t.test('so it is with sessions: one at a time, of two calls that take 20 ms each', async (t) => {
  for (let seed = 1; seed <= 2; seed++) {
    const { capacity, ratesOf } = await capacityOf(t, { serviceTime: 20, slots: 1 }, { duration: 3, rates: { from: 10, to: 100 } }, { of: { seed, sessions: { calls: 2 } } })
    t.equal(ratesOf, 'sessions')
    t.ok(capacity <= 25 * 1.05, `seed ${seed}: ${capacity}`)
  }
})

t.test('a server that answers any number of random requests is never refused, however long its responses take', async (t) => {
  for (const serviceTime of [0, 10, 1000]) {
    for (let seed = 1; seed <= 2; seed++) {
      const of = seed % 2 === 0 ? { seed } : {}
      const { capacity, steps, isConfirmed } = await capacityOf(t, { serviceTime }, { duration: 3, rates: { from: 5, to: 80 } }, { worldSeed: seed, of })
      t.same(steps.filter(({ passed }) => !passed).map(({ rate, missed }) => [rate, missed]), [], `${serviceTime} ms, seed ${seed}`)
      t.same([capacity, isConfirmed], [80, true])
    }
  }
})

t.test('nor if they take random times, of which some are ten times as long as others', async (t) => {
  const random = createExponential(5)
  const times = Array.from({ length: 2000 }, () => 150 * random.next())
  for (let seed = 1; seed <= 3; seed++) {
    const { capacity, isConfirmed } = await capacityOf(t, { serviceTime: ({ number }) => times[(number * 7 + seed * 100) % 2000] }, { duration: 3, rates: { from: 10, to: 80 } }, { worldSeed: seed, of: { seed } })
    t.same([capacity, isConfirmed], [80, true], `seed ${seed}`)
  }
})

t.test('a sweep compares with the arrivals that came due, and without a seed as many come due as the rates say', async (t) => {
  for (let seed = 1; seed <= 2; seed++) {
    const swept = async (service, given) => {
      const { value } = await simulate({ seed }, (world) => sweep({ url: world.server(service).url, arrivals: 'poisson', ...given }, { rates: [10, 20, 30, 40], duration: 3, pause: 0 }))
      return value.rows
    }
    // By chance, there are up to a quarter more or fewer of them.
    for (const given of [{ seed }, {}]) {
      t.same((await swept({ serviceTime: 5 }, given)).map(({ targets: [{ keepsUp }] }) => keepsUp), [true, true, true, true], `seed ${seed}`)
    }
    const rows = await swept({ serviceTime: 40, slots: 1 }, {})
    t.same(rows.slice(2).map(({ targets: [{ keepsUp }] }) => keepsUp), [false, false], `seed ${seed}`)
    t.same((await swept({ serviceTime: 5 }, {})).map(({ demanded, targets: [{ completed }] }) => completed - 3 * demanded).filter((more) => more < 0 || more > 1), [])
  }
})

// The arrivals of a seed, computed: exponential gaps.
function countsOf (seed, rate, times) {
  const gaps = createExponential(seed)
  const due = []
  for (let position = gaps.next(); position < rate * Math.max(...times); position += gaps.next()) due.push(position / rate)
  return times.map((time) => due.filter((each) => each < time).length)
}

t.test('a chosen seed has as many arrivals as the rate says at the end, or up to half a percent more, and so many once the run is under way', async (t) => {
  for (const [rate, duration] of [[5, 0.4], [1, 10], [28, 3], [50, 5], [400, 3], [2000, 2]]) {
    const settled = underWayAt(duration, duration * 100)
    const chosen = [0, 1, 2].map((times) => seedOfArrivals(99, { rate, duration, settled, times }))
    t.equal(new Set(chosen).size, 3, 'each repetition has other arrivals')
    for (const seed of chosen) {
      const [early, all] = countsOf(seed, rate, [settled, duration])
      const isNear = (more, expected) => Math.abs(more) <= Math.max(1, expected / 200) + 1e-9
      t.ok(all >= rate * duration - 1e-9 && isNear(all - rate * duration, rate * duration), `${all} in ${duration} s at ${rate}/s`)
      t.ok(isNear(early - rate * settled, rate * settled), `${early} in ${settled} s at ${rate}/s`)
    }
    t.same(chosen, [0, 1, 2].map((times) => seedOfArrivals('99', { rate, duration, settled, times })))
  }
  const many = { rate: 100_001, duration: 1, settled: 0.4 }
  t.same([0, 1].map((times) => seedOfArrivals(7, { ...many, times })), [7, 2654435768], 'of so many arrivals, any seed will do')
})

t.test('a run is under way in its first sample that ends after a third of it', async (t) => {
  t.same([[3, 300], [10, 1000], [20, 1000], [9, 1000], [1, 1000], [2, 5000]].map(([duration, sampleInt]) => underWayAt(duration, sampleInt)), [1.2, 4, 7, 3, 1, 2])
})

t.test('what a server answered is a share of what came due, apart from the requests on their way', async (t) => {
  const rate = 20
  for (const seed of [1, 2, 3]) {
    const answered = async (service) => {
      const { value } = await simulate({}, (world) => run({ url: world.server(service).url, connections: 100, overallRate: rate, arrivals: 'poisson', seed, duration: 10, sampleInt: 1000 }))
      return answeredRate(value, rate, 'poisson')
    }
    const [early, due] = countsOf(seed, rate, [4, 10])
    const near = (found, expected) => t.ok(Math.abs(found - expected) < 0.01, `${found}, should be ${expected}`)
    // All of them, and one that may be missing, in the whole run or since it is under way.
    near(await answered({}), rate * Math.max((due + 1) / due, (due - early + 1) / (due - early)))
    // Every other request has no response before the run is over.
    const half = ({ number }) => number % 2 === 0 ? 60_000 : 0
    const share = (await answered({ serviceTime: half })) / rate
    t.ok(share > 0.4 && share < 0.6, `${share} of ${due}`)
  }
})
