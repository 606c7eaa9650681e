'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { Mix } = require('../../lib/load/mix')
const { createRowOrder } = require('../../lib/load/row-order')

const draws = (order, count) => Array.from({ length: count }, () => order.next())
const all = order => {
  const rows = []
  for (let row = order.next(); row !== -1; row = order.next()) rows.push(row)
  return rows
}

t.test('sequential starts over at the end, once does not', async t => {
  t.same(draws(createRowOrder({ count: 3, order: 'sequential' }), 7), [0, 1, 2, 0, 1, 2, 0])
  const once = createRowOrder({ count: 3, order: 'once' })
  t.same(draws(once, 5), [0, 1, 2, -1, -1])
})

t.test('once counts the remaining rows', async t => {
  const once = createRowOrder({ count: 5, order: 'once' }, { share: 1, of: 2 })
  t.equal(once.left, 2)
  once.next()
  t.equal(once.left, 1)
  t.same(all(once), [3])
  t.equal(once.left, 0)
  t.equal(createRowOrder({ count: 5, order: 'sequential' }).left, Infinity)
  t.equal(createRowOrder({ count: 5, order: 'random', seed: 1 }).left, Infinity)
})

t.test('a thread with more connections has more rows', async t => {
  const rows = share => all(createRowOrder({ count: 8, order: 'once' }, { share, of: 2, cycle: 3 }))
  t.same([rows(0), rows(1)], [[0, 2, 3, 5, 6], [1, 4, 7]])
})

t.test('property: with once, each row is drawn by exactly one thread', async t => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 9 }), fc.nat(20), (count, of, more) => {
    const rows = Array.from({ length: of }, (_, share) => {
      const order = createRowOrder({ count, order: 'once' }, { share, of, cycle: of + more })
      const { left } = order
      const drawn = all(order)
      t.equal(left, drawn.length)
      return drawn
    }).flat()
    t.same(rows.sort((a, b) => a - b), Array.from({ length: count }, (_, row) => row))
  }))
})

t.test('property: the threads together draw what one thread would, in every order', async t => {
  const order = fc.constantFrom('sequential', 'random')
  fc.assert(fc.property(order, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 7 }), fc.nat(9), fc.nat(), (order, count, of, more, seed) => {
    const cycle = of + more
    const whole = draws(createRowOrder({ count, order, seed }), cycle * 5)
    const threads = Array.from({ length: of }, (_, share) => createRowOrder({ count, order, seed }, { share, of, cycle }))
    t.same(whole.map((_, i) => threads[i % cycle % of].next()), whole)
  }))
})

t.test('property: the sessions of each scenario draw what they would in one thread, whichever threads they are in', async t => {
  const order = fc.constantFrom('sequential', 'random')
  const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })
  fc.assert(fc.property(order, weights, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 7 }), fc.nat(), (order, weights, count, of, seed) => {
    const mix = new Mix(weights)
    const ordersOf = (deal, mix) => weights.map((_, scenario) => createRowOrder({ count, order, seed, scenario }, deal, mix))
    const alone = ordersOf(undefined, null)
    const threads = Array.from({ length: of }, (_, share) => ordersOf({ share, of }, mix))
    const arrivals = Array.from({ length: 100 }, (_, arrival) => mix.at(arrival))
    t.same(arrivals.map((scenario, arrival) => threads[arrival % of][scenario].next()), arrivals.map((scenario) => alone[scenario].next()))
  }))
})

t.test('random: reproducible by its seed, and each row is equally likely', async t => {
  const order = (seed) => createRowOrder({ count: 10, order: 'random', seed })
  t.same(draws(order(7), 50), draws(order(7), 50))
  t.not(String(draws(order(7), 50)), String(draws(order(8), 50)))
  const counts = new Array(10).fill(0)
  for (const row of draws(order(1), 10000)) counts[row]++
  // Chi-square with 9 degrees of freedom: one seed in a thousand exceeds 27.9, and this seed is fixed.
  t.ok(counts.reduce((sum, n) => sum + (n - 1000) ** 2 / 1000, 0) < 27.9, String(counts))
})

t.test('the default seed of random rows is 0', async t => {
  const drawn = feed => draws(createRowOrder({ count: 1000, order: 'random', ...feed }), 5)
  t.same(drawn({}), drawn({ seed: 0 }))
  t.notSame(drawn({}), drawn({ seed: 1 }))
})
