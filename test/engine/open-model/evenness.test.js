'use strict'

// Requests are sent at their due times.

const { isDeepStrictEqual } = require('node:util')
const t = require('tap')
const { run } = require('../../..')
const { createPacer } = require('../../../lib/load')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer } = require('../../support/servers')
const { areAt, every } = require('./helpers')

for (const [rate, duration, connections] of [[5, 3, 10], [100, 3, 10], [1000, 2, 50], [20_000, 0.5, 50]]) {
  t.test(`${rate}/s on ${connections} connections are evenly spaced`, async (t) => {
    const { result, server, sent } = await playInWorld(t, {}, { connections, overallRate: rate, duration })
    t.equal(result.accounting.completed, rate * duration)
    t.equal(server.attempts.accepted, connections, 'connections are never reduced to fit the rate')
    t.equal(result.connections, connections)
    areAt(t, sent, every(1000 / rate, rate * duration))
  })
}

t.test('timers that fire early make nothing early, and nothing late', async (t) => {
  for (const pacing of ['precise', 'sleep']) {
    const early = { client: { timersEarlyUs: 1000 } }
    const { sent } = await playInWorld(t, {}, { connections: 10, overallRate: 130, duration: 2, pacing }, () => {}, early)
    areAt(t, sent, every(1000 / 130, 260), pacing === 'sleep' ? 1.05 : 0.02)
  }
})

t.test('the connections of a connectionRate do not send in lockstep', async (t) => {
  const { result, world, sent } = await playInWorld(t, {}, { connections: 5, connectionRate: 4, duration: 2 })
  t.equal(result.accounting.completed, 40)
  areAt(t, sent, every(50, 40), 0.1)
  // Each connection has its own rate.
  for (const connection of [0, 1, 2, 3, 4]) {
    const own = world.log.filter((request) => request.connection === connection).map(({ sentAt }) => sentAt / 1000)
    areAt(t, own.map((at) => at - own[0]), every(250, 8), 0.1)
  }
})

t.test('poisson arrivals depend on the seed alone', async (t) => {
  const pacer = createPacer({ kind: 'constant', rate: 100, arrivals: 'poisson', seed: 7 }, { duration: 20 })
  const due = []
  for (let time = pacer.next(); time !== Infinity; time = pacer.next()) due.push(time * 1000)
  const play20 = async (seed) => (await playInWorld(t, {}, { connections: 50, overallRate: 100, arrivals: 'poisson', seed, duration: 20 })).sent
  const sent = await play20(7)
  areAt(t, sent, due.map((at) => at - due[0]))
  t.same(await play20(7), sent)
  // The assertion of tap would first generate a list of the differences.
  t.notOk(isDeepStrictEqual(await play20(8), sent), 'another seed gives other times')
})

t.test('with real sockets as well: none arrives before it is due', async (t) => {
  const server = await httpServer(t)
  const since = performance.now()
  const result = await run({ url: server.url, connections: 50, overallRate: 500, duration: 0.3 })
  addsUp(t, result)
  t.equal(result.accounting.scheduled, 150)
  t.ok(server.arrivals.every((at, index) => at - since >= 2 * index))
})
