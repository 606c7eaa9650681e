'use strict'

// With workers there is one schedule: as many arrivals as without, at the same times. Threads are simulated here, except in the last test.

const t = require('tap')
const { run } = require('../../..')
const { createPacer } = require('../../../lib/load')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { httpServer } = require('../../support/servers')
const { areAt, exact, near } = require('../open-model/helpers')

/** When each arrival is due, ms from the first. */
function dueTimes (schedule, duration) {
  const pacer = createPacer(schedule, { duration })
  const due = []
  for (let time = pacer.next(); time !== Infinity; time = pacer.next()) due.push(time * 1000)
  return due.map((time) => time - due[0])
}

/** How many requests each connection sent. */
function perConnection ({ log }) {
  const counts = new Map()
  for (const { socket } of log) counts.set(socket, (counts.get(socket) ?? 0) + 1)
  return [...counts.values()]
}

for (const [rate, duration, connections, workers] of [[100, 2, 40, 2], [333, 1.5, 60, 3], [7, 1.5, 5, 4], [2, 1.2, 2, 2]]) {
  t.test(`overallRate ${rate} on ${connections} connections and ${workers} workers is the total rate`, async (t) => {
    const { result, sent, server, world } = await playInWorld(t, { serviceTime: 3 }, { connections, overallRate: rate, duration, workers })
    const due = dueTimes({ kind: 'constant', rate }, duration)
    t.equal(result.accounting.completed, due.length)
    t.equal(server.connections.length, connections)
    near(t, result.rate.offered, due.length / duration, 0.01, 'rate.offered')
    areAt(t, sent, due)
    // Nothing is sent before it is due, and each time is that of the server.
    const service = world.log.map(({ sentAt, receivedAt }) => (receivedAt - sentAt) / 1000)
    t.same(new Set(service), new Set([3]))
    t.match(result.serviceTime, { min: 3, max: 3 })
    t.ok(result.latency.min >= 3, `${result.latency.min}`)
    exact(t, result.latency.max, 3, 'latency.max')
  })
}

t.test('threads that learn too late when to start are late, and report it', async (t) => {
  // The start is 20 ms after the message that announces it.
  const { result } = await playInWorld(t, { serviceTime: 3 }, { connections: 4, overallRate: 100, duration: 1, workers: 2 }, undefined, { threads: { message: 35 } })
  t.equal(result.accounting.completed, 100)
  exact(t, result.sendDelay.max, 15, 'the first was due before')
  exact(t, result.latency.max, 18, 'and the server is not blamed')
  t.match(result.serviceTime, { min: 3, max: 3 })
})

t.test('threads that begin one after the other start together', async (t) => {
  const { result, sent } = await playInWorld(t, { serviceTime: 3 }, { connections: 9, overallRate: 150, duration: 1, workers: 3 }, undefined, { threads: { apart: 400 } })
  t.equal(result.accounting.completed, 150)
  areAt(t, sent, dueTimes({ kind: 'constant', rate: 150 }, 1))
})

t.test("a rate that uses all of the connections' capacity is divided accordingly", async (t) => {
  // Three connections at 20 ms each handle 150/s. If each of the two threads had half of the 120/s, the single connection of the second
  // would have to handle 60/s, which it cannot: 10/s would remain.
  const { result } = await playInWorld(t, { serviceTime: 20 }, { connections: 3, overallRate: 120, duration: 1.5, workers: 2 })
  t.match(result.accounting, { scheduled: 180, completed: 180 })
  exact(t, result.latency.max, 20, 'nothing waits')
})

t.test('connectionRate, with different numbers of connections in the threads', async (t) => {
  const { result, sent, world } = await playInWorld(t, {}, { connections: 7, connectionRate: 6, duration: 1.5, workers: 3 })
  t.equal(result.accounting.scheduled, 63)
  t.same(perConnection(world), [9, 9, 9, 9, 9, 9, 9], 'each connection has its own rate')
  areAt(t, sent, dueTimes({ kind: 'constant', rate: 42 }, 1.5))
})

t.test('connectionRate with an amount', async (t) => {
  const { result, world } = await playInWorld(t, {}, { connections: 3, connectionRate: 20, amount: 31, workers: 2 })
  t.same(perConnection(world).sort(), [10, 10, 11])
  t.equal(result.accounting.scheduled, 31)
})

t.test('an amount at a rate: the schedule ends when it would without workers', async (t) => {
  for (const [amount, workers] of [[30, 2], [31, 3], [2, 4]]) {
    const { result, server } = await playInWorld(t, {}, { connections: 6, overallRate: 30, amount, workers })
    t.equal(server.requests, amount)
    near(t, result.rate.offered, 30, 0.001, `rate.offered with ${amount} requests and ${workers} workers`)
    near(t, result.duration, (amount - 1) / 30, 0.002, 'until the last answer')
    t.notOk(result.warnings.some(({ code }) => code === 'RATE_NOT_ACHIEVED'))
  }
})

t.test('stages', async (t) => {
  const stages = [{ duration: 0.6, rate: 50 }, { duration: 0.4, rate: 0 }, { duration: 1, rate: { from: 50, to: 150 } }]
  const { result, sent } = await playInWorld(t, {}, { connections: 11, stages, workers: 3 })
  t.equal(result.accounting.completed, 130)
  near(t, result.rate.offered, 65, 0.001, 'rate.offered')
  const plain = stages.map(({ duration, rate }) => ({ duration, from: rate.from ?? rate, to: rate.to ?? rate }))
  areAt(t, sent, dueTimes({ kind: 'stages', stages: plain }, 2))
})

t.test('bursts', async (t) => {
  const { result, sent } = await playInWorld(t, { serviceTime: 1 }, { connections: 40, bursts: { size: 21, interval: 0.4 }, duration: 1, workers: 2 })
  t.equal(result.accounting.completed, 63)
  areAt(t, sent, [0, 400, 800].flatMap((at) => new Array(21).fill(at)))
})

t.test('poisson arrivals of a seed are those of one thread', async (t) => {
  const { result, sent } = await playInWorld(t, {}, { connections: 13, overallRate: 150, arrivals: 'poisson', seed: 11, duration: 1.5, workers: 3 })
  const due = dueTimes({ kind: 'constant', rate: 150, arrivals: 'poisson', seed: 11 }, 1.5)
  t.equal(result.accounting.completed, due.length)
  areAt(t, sent, due)
})

t.test('a server that stalls: requests that came due meanwhile are sent, and their latency includes the wait', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 1 }, (world, server) => {
    // Threads start, connect and agree; then 400 ms pass.
    world.after(50 + 399, () => server.stall(501))
    return { connections: 4, overallRate: 100, duration: 1.5, workers: 2 }
  })
  t.match(result.accounting, { scheduled: 150, completed: 150 })
  // From 0.4 s to 0.9 s four wait for the server, and all that come due then wait for them: the first 500 ms, each other 10 ms less.
  exact(t, result.serviceTime.max, 501, 'serviceTime.max')
  exact(t, result.latency.max, 501, 'latency.max')
  t.ok(result.latency.p75 > 100, `${result.latency.p75}`)
  exact(t, result.serviceTime.p90, 1, 'serviceTime.p90')
})

t.test('with pacing by sleep', async (t) => {
  const { result } = await playInWorld(t, {}, { connections: 100, overallRate: 200, duration: 1, pacing: 'sleep', workers: 2 })
  t.equal(result.accounting.completed, 200)
  t.ok(result.sendDelay.max < 1.1, `${result.sendDelay.max}`)
})

t.test('with real threads as well', async (t) => {
  const server = await httpServer(t)
  const since = performance.now()
  const result = await run({ url: server.url, connections: 20, overallRate: 100, amount: 100, workers: 2 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 100)
  t.equal(server.requests, 100)
  t.equal(server.connections, 20)
  // Threads that don't share one schedule would finish in half the time, or send in pairs. Their clocks differ by less than a millisecond.
  t.ok(server.arrivals.every((at, index) => at - since >= 10 * index - 1), 'none arrived before it was due')
})
