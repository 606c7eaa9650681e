'use strict'

// A made-up clock: each awakening is as late as the test says.

const t = require('tap')
const Nap = require('../../../lib/engine/loops/nap')
const enterWorld = require('../../../lib/world/enter')

const SPARE = 0.03

/**
 * Naps before each of `count` due times.
 *
 * @param {Nap} nap
 * @param {{ count: number, interval: number, lateness: function(number): ?number }} course `interval` ms; `lateness` of the nth awakening,
 *   ms; null: the thread must not be blocked
 * @returns {object[]} for each due time: how long it was to nap, when it was awake, before the due time, and the lead then
 */
function take (t, nap, { count, interval, lateness }) {
  let now = 0
  let late = 0
  const leave = enterWorld({
    now: () => now,
    nap: (ms) => {
      if (late === null) return false
      now += ms + late
      return true
    }
  })
  t.teardown(leave)
  const naps = Array.from({ length: count }, (_, number) => {
    const dueAt = (number + 1) * interval
    late = lateness(number)
    const napped = nap.before(dueAt, now)
    const each = { napped, left: dueAt - now, lead: nap.lead }
    now = Math.max(now, dueAt)
    return each
  })
  leave()
  return naps
}

t.test('the lead settles close to what constant lateness requires', async (t) => {
  for (const lateness of [0, 0.06, 0.2, 0.9]) {
    const naps = take(t, new Nap(), { count: 3000, interval: 10, lateness: () => lateness }).slice(1500)
    const required = Math.max(0.08, lateness + SPARE)
    t.ok(naps.every(({ lead, left }) => lead >= required / 1.04 && lead <= required * 1.04 && left > 0), `${lateness} ms`)
    t.ok(naps.filter(({ left }) => left < SPARE - 1e-9).length <= 1500 / 11 + 1, `${lateness} ms: one in 11 has less than that to spare`)
  }
})

t.test('it covers a varying lateness except the latest 2%', async (t) => {
  // 0.04 to 0.14 ms, in an order without a pattern; 1% are late by much more.
  const lateness = (number) => number % 100 === 57 ? 7 : 0.04 + (number * 617 % 1000) / 10_000
  const naps = take(t, new Nap(), { count: 5000, interval: 10, lateness }).slice(1000)
  t.ok(naps.filter(({ left }) => left < 0).length < naps.length * 0.02)
  t.ok(naps.every(({ lead }) => lead < 0.3), 'a few outliers change little')
})

t.test('where one in 20 awakenings is late, it wakes early enough for these; where one in 30 is, it does not', async (t) => {
  for (const [every, least, most] of [[20, 0.5, 0.6], [30, 0.08, 0.3]]) {
    const lateness = (number) => number % every === 0 ? 0.5 : 0.04
    const leads = take(t, new Nap(), { count: 9000, interval: 10, lateness }).slice(3000).map(({ lead }) => lead)
    const mean = leads.reduce((sum, lead) => sum + lead, 0) / leads.length
    t.ok(mean >= least * 0.95 && mean <= most, `one in ${every}: ${mean}`)
  }
})

t.test('it learns quickly at first', async (t) => {
  const naps = take(t, new Nap(), { count: 150, interval: 10, lateness: () => 0.05 })
  t.equal(naps[0].lead < 0.5, true)
  t.ok(naps[149].lead < 0.12, `${naps[149].lead}`)
})

t.test('where it is always woken late, it hardly ever naps before close due times, and naps again when the machine is free', async (t) => {
  const nap = new Nap()
  const late = take(t, nap, { count: 2000, interval: 1, lateness: () => 5 }).slice(100)
  t.ok(late.filter(({ napped }) => napped > 0).length < late.length * 0.03)
  t.ok(nap.lead <= 1.5)
  const free = take(t, nap, { count: 1000, interval: 1, lateness: () => 0.05 })
  t.ok(free.slice(500).every(({ napped }) => napped > 0.7))
})

t.test('a thread that must not be blocked does not nap, and learns nothing', async (t) => {
  const nap = new Nap()
  const naps = take(t, nap, { count: 10, interval: 10, lateness: () => null })
  t.ok(naps.every(({ napped, lead }) => napped === 0 && lead === naps[0].lead))
})

t.test('there is one lesson for each due time', async (t) => {
  const nap = new Nap()
  const leave = enterWorld({ now: () => 9.6, nap: () => true })
  t.teardown(leave)
  t.equal(nap.before(10, 9), 0.5)
  const { lead } = nap
  t.equal(nap.before(10, 9.8), 0)
  t.equal(nap.lead, lead)
})
