'use strict'

const t = require('tap')
const { run } = require('../..')
const { httpServer, delayServer, rawServer, reply } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { balances, near, countPerSlot } = require('./helpers')

t.test('the rate is kept after a pause, on one connection with four requests at a time', (t) => inOneOfThree(t, async (timely) => {
  // 40 per second with 50 ms each need two at a time.
  const server = await delayServer(t, 50)
  const result = await run({ url: server.url, connections: 1, pipelining: 4, stages: '1s:40, 1s:0, 2s:40' })
  balances(t, result)
  t.equal(result.accounting.scheduled, 120)
  timely.equal(result.accounting.completed, 120, 'completed')
  const counts = countPerSlot(server.arrivals, 1000, server.arrivals[0] - 5, 4)
  for (const [index, expected] of [40, 0, 40, 40].entries()) near(timely, counts[index], expected, 4, `second ${index}`)
  timely.ok(result.latency.p50 < 75, `nothing queues: ${result.latency.p50}`)
}))

t.test('an idle connection is always taken before one that would make the request wait', async (t) => {
  const inFlight = new Map()
  let most = 0
  const server = await httpServer(t, ({ socket }, response) => {
    inFlight.set(socket, (inFlight.get(socket) ?? 0) + 1)
    most = Math.max(most, inFlight.get(socket))
    setTimeout(() => {
      inFlight.set(socket, inFlight.get(socket) - 1)
      response.end('ok')
    }, 50)
  })
  // Two at a time on average; thirty connections leave room for a client that stands still for 700 ms.
  const result = await run({ url: server.url, connections: 30, pipelining: 10, overallRate: 40, duration: 2 })
  balances(t, result)
  t.equal(most, 1)
  t.equal(result.accounting.completed, 80)
})

t.test('all the slots are used when the rate needs them', (t) => inOneOfThree(t, async (timely) => {
  // 200 per second with 50 ms each are ten at a time; five connections with two each are just that.
  const server = await delayServer(t, 40)
  const result = await run({ url: server.url, connections: 5, pipelining: 2, overallRate: 200, duration: 1.5 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 300)
  timely.equal(result.accounting.completed, 300, 'completed')
  timely.ok(server.requestsPerConnection.every((count) => count > 40), `all connections share the work: ${server.requestsPerConnection}`)
}))

t.test('requests behind one that timed out are failures of their own, and their due times are not lost', (t) => inOneOfThree(t, async (timely) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index >= 4) socket.write(reply('ok'))
  })
  const result = await run({ url: server.url, connections: 1, pipelining: 4, overallRate: 100, duration: 1, timeout: 0.4 })
  balances(t, result)
  timely.equal(result.accounting.timedOut, 1, 'timed out')
  timely.equal(result.accounting.failed, 3, 'failed')
  t.equal(result.errorCodes.CANNONADE_LOST_IN_PIPELINE.count, result.accounting.failed)
  t.equal(result.accounting.scheduled, 100)
  timely.equal(result.accounting.completed + result.accounting.unsent, 96, 'completed or unsent')
  timely.ok(result.accounting.unsent <= 8, `those that waited behind them still had time: ${result.accounting.unsent}`)
  await until(() => server.requests === result.accounting.sent)
  near(timely, result.latency.max, 400, 2, 'latency.max')
  t.ok(result.latencyWithUnfinished.totalCount === 100)
}))
