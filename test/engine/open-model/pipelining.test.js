'use strict'

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')
const { areAt, every, exact } = require('./helpers')

t.test('the rate is kept after a pause, on one connection with four requests at a time', async (t) => {
  // 40/s with 50 ms each are two at a time.
  const { result, sent } = await playInWorld(t, { serviceTime: 50 }, { connections: 1, pipelining: 4, stages: '1s:40, 1s:0, 2s:40' })
  t.match(result.accounting, { scheduled: 120, completed: 120 })
  areAt(t, sent, [...every(25, 40), ...every(25, 80, 2000)])
  exact(t, result.latency.max, 50, 'nothing queues')
})

t.test('an idle connection is always preferred to one on which the request would wait', async (t) => {
  // Two at a time on average, or three.
  const { result, world } = await playInWorld(t, { serviceTime: 60 }, { connections: 3, pipelining: 10, overallRate: 40, duration: 2 })
  t.equal(result.accounting.completed, 80)
  const last = new Map()
  for (const { connection, sentAt, receivedAt } of world.log) {
    t.ok(sentAt >= (last.get(connection) ?? 0), 'the connection has answered earlier requests')
    last.set(connection, receivedAt)
  }
})

t.test('all slots are used if the rate needs them', async (t) => {
  // 200/s with 50 ms each are ten at a time, which is exactly five connections with two each.
  const { result, server, world } = await playInWorld(t, { serviceTime: 50 }, { connections: 5, pipelining: 2, overallRate: 200, duration: 1.5 })
  t.match(result.accounting, { scheduled: 300, completed: 300 })
  t.equal(server.peakBusy, 10)
  exact(t, result.latency.max, 50, 'nothing queues')
  const counts = [0, 1, 2, 3, 4].map((connection) => world.log.filter((request) => request.connection === connection).length)
  t.same(counts, [60, 60, 60, 60, 60], 'all connections share the work')
})

t.test('requests behind one that timed out are separate failures, and their due times are not lost', async (t) => {
  const { result } = await playInWorld(t, { answer: ({ number }) => number < 4 ? 'silence' : 200 }, { connections: 1, pipelining: 4, overallRate: 100, duration: 1, timeout: 0.4 })
  // When the first deadline passes, all waiting requests still have time, except the next four.
  t.match(result.accounting, { scheduled: 100, timedOut: 1, failed: 3, unsent: 0, completed: 96 })
  t.equal(result.errorCodes.CANNONADE_LOST_IN_PIPELINE.count, 3)
  exact(t, result.latency.max, 400, 'latency.max')
  t.equal(result.latencyWithUnfinished.totalCount, 100)
})

t.test('the deadline of a request that its first connection returned passes before those of younger ones that were sent ahead of it', async (t) => {
  const { result, world } = await playInWorld(t, { answer: 'silence' }, (world, server) => {
    // The first request, due at 0, is prepared until its connection breaks. The second one, due at 10 ms, goes out on the other connection.
    let requests = 0
    const setupRequest = (request) => requests++ === 0 ? world.sleep(50).then(() => request) : request
    world.after(35, () => server.connections[0].reset())
    return { connections: 2, pipelining: 2, overallRate: 100, amount: 2, timeout: 0.1, slowest: 2, requests: [{ setupRequest }] }
  })
  const [, other] = world.sockets
  t.same(world.log.map(({ socket }) => socket), [other, other])
  exact(t, other.closedAt / 1000 - world.log[0].sentAt / 1000, 90, 'from when the second was due to the deadline of the first')
  t.match(result.accounting, { timedOut: 1, failed: 1 })
})
