'use strict'

// The rows of a feed that each part of a run gets: all parts together, in turn, get the rows that one thread would.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const Feed = require('../../../lib/engine/deal/feed')

const ROWS = Array.from({ length: 25 }, (_, number) => ({ number }))
const PLAN = { feed: { rows: ROWS, order: 'once' }, seed: 3, connections: 10, schedule: null, sessions: null, scenarios: null }

/** @param {function(number): number} partOf the part whose turn it is @returns {number[]} the rows of this many turns */
function rowsOf (plan, of, turns, partOf, scenarioOf = () => undefined) {
  const feeds = Array.from({ length: of }, (_, share) => new Feed(plan, { share, of }))
  const rows = Array.from({ length: turns }, (_, turn) => feeds[partOf(turn)].next(scenarioOf(turn))?.number ?? null)
  return { rows, left: feeds.map(({ left }) => left) }
}

const IN_ORDER = ROWS.map(({ number }) => number)

t.test('sessions take rows in the order in which they are due, with any number of parts', async (t) => {
  for (const of of [1, 2, 3, 4, 7]) {
    const { rows, left } = rowsOf({ ...PLAN, sessions: {} }, of, 25, (turn) => turn % of)
    t.same(rows, IN_ORDER, `${of} parts`)
    t.same(left, new Array(of).fill(0))
  }
})

t.test('connections take rows in turn', async (t) => {
  for (const of of [1, 2, 3, 4, 7]) {
    const { rows, left } = rowsOf(PLAN, of, 27, (turn) => turn % 10 % of)
    t.same(rows, [...IN_ORDER, null, null], `${of} parts`)
    t.same(left, new Array(of).fill(0))
  }
})

t.test('each scenario cycles through all rows, in its own order if it is random', async (t) => {
  const plan = { ...PLAN, feed: { rows: ROWS, order: 'sequential' }, sessions: {}, scenarios: [{}, {}] }
  const { rows, left } = rowsOf(plan, 1, 60, () => 0, (turn) => turn % 2)
  t.same(rows.filter((_, turn) => turn % 2 === 0), [...IN_ORDER, 0, 1, 2, 3, 4])
  t.same(rows.filter((_, turn) => turn % 2 === 1), [...IN_ORDER, 0, 1, 2, 3, 4])
  t.same(left, [Infinity])
  const random = { ...plan, feed: { rows: ROWS, order: 'random' } }
  const { rows: drawn } = rowsOf(random, 1, 60, () => 0, (turn) => turn % 2)
  const ofEach = [0, 1].map((scenario) => drawn.filter((_, turn) => turn % 2 === scenario))
  t.notSame(ofEach[0], ofEach[1])
  t.same(rowsOf(random, 1, 30, () => 0).rows, ofEach[0], 'the first one is independent of the others')
  t.same(rowsOf({ ...random, scenarios: null }, 3, 30, (turn) => turn % 3).rows, ofEach[0])
})

t.test('of several URLs that share an amount, one may have its share while a hook prepares its last request: the run waits for that', async (t) => {
  const rows = Array.from({ length: 4 }, (_, id) => ({ id }))
  const { value: { duration, warnings, accounting }, world } = await simulate({ seed: 1 }, (world) => {
    const url = [30, 5].map((serviceTime) => world.server({ host: `10.0.0.${serviceTime}`, serviceTime }).url)
    const setupRequest = (request) => world.sleep(request.row.id === 2 ? 100 : 1).then(() => request)
    return run({ url, connections: 2, amount: 4, requests: [{ path: '/{{id}}', setupRequest }], feed: { rows, order: 'once' } })
  })
  // The last request of the second server is prepared from 6 to 106 ms; that of the first one, which has the last row, is answered after 62 ms.
  t.same([duration, warnings], [0.111, []])
  t.match(accounting, { scheduled: 4, sent: 4, completed: 4 })
  t.same(world.log.map(({ path }) => path), ['/0', '/1', '/3', '/2'])
})

t.test('of several URLs that share an amount, one may be gone for a while when the others have used their rows: the run waits for it', async (t) => {
  const rows = Array.from({ length: 2 }, (_, id) => ({ id }))
  const { value: { warnings, accounting }, world } = await simulate({ seed: 1 }, (world) => {
    const servers = ['10.0.0.1', '10.0.0.2'].map((host) => world.server({ host, serviceTime: 5 }))
    // Each has one row of two requests. The second one of the second server is due after 30 ms.
    world.after(20, () => {
      servers[1].endAll()
      servers[1].refuse()
    })
    world.after(100, () => servers[1].accept())
    return run({ url: servers.map(({ url }) => url), connections: 2, overallRate: 100, amount: 4, requests: [{ path: '/{{id}}/a' }, { path: '/{{id}}/b' }], feed: { rows, order: 'once' } })
  })
  t.match(accounting, { scheduled: 4, sent: 4, completed: 4 })
  t.same(world.log.map(({ path }) => path), ['/0/a', '/1/a', '/0/b', '/1/b'])
  t.notOk(warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
})

t.test('requests for which no row is left are none, whichever connection they wait for', async (t) => {
  for (const connections of [1, 2, 3, 5]) {
    const rows = Array.from({ length: 4 }, (_, id) => ({ id }))
    const { value: { accounting, sendDelay }, world } = await simulate({ seed: 1 }, (world) => (
      run({ url: world.server({ serviceTime: 25 }).url, connections, connectionRate: 100, requests: [{ path: '/{{id}}' }], feed: { rows, order: 'once' } })
    ))
    t.match(accounting, { scheduled: 4, unsent: 0, sent: 4, completed: 4 }, `${connections} connections`)
    t.equal(sendDelay.totalCount, 4)
    t.equal(world.log.length, 4)
  }
})

// Five rows of two requests each for an amount of ten. The first URL gets its five requests in the middle of a row, after which no row is left
// for the fifth request of the second.
t.test('of several URLs that share an amount, one may have no row left: the run does not wait for that', async (t) => {
  const rows = Array.from({ length: 5 }, (_, id) => ({ id }))
  for (const [more, seconds] of [
    [{}, 0.08], // two rows of the slow URL
    [{ overallRate: 50 }, 0.2] // ten requests at this rate
  ]) {
    const { value: { duration, warnings, accounting, endpoints }, world } = await simulate({ seed: 1 }, (world) => {
      const url = [5, 20].map((serviceTime) => world.server({ host: `10.0.0.${serviceTime}`, serviceTime }).url)
      return run({ url, connections: 2, amount: 10, requests: [{ path: '/{{id}}/a' }, { path: '/{{id}}/b' }], feed: { rows, order: 'once' }, ...more })
    })
    t.same([duration, warnings], [seconds, []])
    t.same(accounting, { scheduled: 9, unsent: 0, sent: 9, completed: 9, failed: 0, timedOut: 0, unfinished: 0 })
    t.same(endpoints.map(({ completed }) => completed), [5, 4])
    t.same(world.leftovers, [])
  }
})
