'use strict'

const t = require('tap')
const { benchmark } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')

t.test('a pause that is over is not repeated if the connection closes while a hook prepares the next request', async (t) => {
  // Each request is prepared for 30 ms, answered after 10 ms, and followed by a pause of 50 ms; the second is being prepared when its connection is reset.
  const { sent } = await playInWorld(t, { serviceTime: 10 }, (world, server) => {
    world.after(100, () => server.resetAll())
    return { connections: 1, amount: 3, thinkTime: 0.05, requests: [{ setupRequest: (request) => world.sleep(30).then(() => request) }] }
  })
  t.same(sent, [0, 90, 180])
})

t.test('think time is the time between a response and the next request, and not part of latency', async (t) => {
  // A request takes 10 ms, followed by 60 ms of think time: one every 70 ms on each connection.
  const { result: { accounting, latency } } = await playInWorld(t, { serviceTime: 10 }, { connections: 4, duration: 1, thinkTime: 0.06 })
  t.match(accounting, { sent: 4 * 15, completed: 4 * 15 })
  t.match(latency, { min: 10, max: 10 })
})

t.test('think time from a range, with pipelining and an amount', async (t) => {
  const { result: { accounting, latency, duration }, world } = await playInWorld(t, { serviceTime: 3 }, { connections: 2, pipelining: 3, amount: 60, thinkTime: [0.02, 0.04] })
  t.match(accounting, { sent: 60, completed: 60 })
  // Each of the six sends about ten requests with nine pauses between them.
  t.ok(duration > 0.2 && duration < 0.4, `${duration} s`)
  t.match(latency, { min: 3, max: 3 })
  const [first] = world.sockets
  const sent = world.log.filter(({ socket }) => socket === first).map(({ sentAt }) => sentAt / 1000)
  t.ok(sent[3] - sent[0] >= 3 + 19 && sent[3] - sent[0] <= 3 + 41, `the fourth was sent ${sent[3] - sent[0]} ms after the first`)
})

t.test('connections that are added one by one', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 5 }, { connections: { from: 1, to: 5, over: 0.8 }, duration: 1.05, sampleInt: 100 })
  t.match(result, { connections: 5, connectionStats: { opened: 5, peak: 5 } })
  // One more every 200 ms; a sample begins just after the previous one's end.
  t.same(result.timeline.map(({ connections }) => connections), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5])
})

t.test('with real sockets as well', async (t) => {
  const server = await httpServer(t)
  const { accounting, duration } = await benchmark(t, { url: server.url, connections: 2, amount: 20, thinkTime: 0.02 })
  t.match(accounting, { sent: 20, completed: 20 })
  t.equal(server.requests, 20)
  t.ok(duration >= 9 * 0.019, `${duration} s, with nine pauses of 20 ms`)
})
