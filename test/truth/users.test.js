'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { delayServer, httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')

t.test('think time is between a response and the next request, and in no latency', async (t) => {
  // A request takes 10 ms and is followed by 60 ms of thinking: at most one in 70 ms from each connection.
  const server = await delayServer(t, 10)
  const result = await benchmark(t, { url: server.url, connections: 4, duration: 1, thinkTime: 0.06 })
  const { accounting, latency, duration } = result
  between(t, accounting.completed, 4 * 6, 4 * (duration * 1000 / 69 + 1), 'completed')
  between(t, latency.p50, 9.5, 50, 'latency.p50')
  between(t, server.requests, accounting.completed, accounting.sent, 'received')
  t.ok(accounting.unfinished <= 4)
})

t.test('think time from a range, with pipelining and an amount', async (t) => {
  const server = await httpServer(t)
  const { accounting, latency, duration } = await benchmark(t, { url: server.url, connections: 2, pipelining: 3, amount: 60, thinkTime: [0.02, 0.04] })
  t.match(accounting, { sent: 60, completed: 60 })
  t.equal(server.requests, 60)
  // Each of the six works through ten requests with nine pauses between them, more or less.
  between(t, duration, 0.1, 2, 'duration')
  between(t, latency.p50, 0, 19, 'latency.p50')
})

t.test('connections that come one after the other', (t) => inOneOfThree(t, async (timely) => {
  const server = await delayServer(t, 5)
  const result = await benchmark(t, { url: server.url, connections: { from: 1, to: 5, over: 0.8 }, duration: 1, sampleInt: 100 })
  t.equal(result.connections, 5)
  timely.equal(server.connections, 5, 'connections')
  timely.equal(result.connectionStats.opened, 5, 'opened')
  timely.equal(result.connectionStats.peak, 5, 'peak')
  const counts = result.timeline.map(({ connections }) => connections)
  between(timely, counts[0], 1, 2, 'connections at first')
  timely.equal(counts.at(-1), 5, 'connections in the end')
  t.ok(counts.every((count, index) => index === 0 || count >= counts[index - 1]), `connections over the timeline: ${counts}`)
}))
