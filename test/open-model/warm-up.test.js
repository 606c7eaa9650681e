'use strict'

const t = require('tap')
const { run } = require('../..')
const { httpServer, delayServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { balances, near } = require('./helpers')
const { ended } = require('../support/ended')

// Where all requests are to be completed, there are so many connections that what a pause of the client leaves for the
// last moment can still be sent.

t.test('runs first, on the same connections, and is kept out of the result', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 50, overallRate: 100, duration: 0.5, warmup: 0.4 })
  balances(t, result)
  balances(t, result.warmup)
  t.equal(result.accounting.completed, 50)
  t.equal(result.warmup.accounting.completed, 40)
  t.equal(server.requests, 90)
  t.equal(server.connections, 50, 'the server sees no new connections')
  t.equal(result.connectionStats.opened, 0)
  t.equal(result.connectionStats.peak, 50)
  t.equal(result.connectTime.totalCount, 0)
  near(timely, result.duration, 0.5, 0.1, 'duration')
  near(timely, result.warmup.duration, 0.4, 0.1, 'warmup.duration')
  t.equal(result.warmup.connectionStats.opened, 50)
  t.notOk('warmup' in result.warmup)
}))

t.test('in the closed model as well, with nothing left over in flight', async (t) => {
  const server = await delayServer(t, 20)
  const result = await run({ url: server.url, connections: 3, duration: 0.5, warmup: { duration: 0.4 } })
  t.equal(server.connections, 3)
  // What each connection has written in the last moment may end with it.
  const warmupSent = result.warmup.accounting.sent
  await until(() => server.openConnections === 0)
  t.ok(server.requests >= warmupSent + result.accounting.completed && server.requests <= warmupSent + result.accounting.sent)
  t.equal(result.warmup.accounting.unfinished, 0)
  t.ok(result.latency.min >= 20, `no request of the warm-up ends in the run: ${result.latency.min}`)
  t.ok(result.latency.totalCount > 5)
})

t.test('on connections of its own where it has another number of them', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 20, overallRate: 50, duration: 0.4, warmup: { connections: 15, duration: 0.4 } })
  t.equal(server.connections, 35)
  t.equal(result.warmup.connections, 15)
  t.equal(result.connections, 20)
  t.equal(result.connectionStats.opened, 20)
  t.equal(server.requests, 40)
})

t.test('the rate of a connection is the same in the warm-up', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 6, connectionRate: 10, duration: 0.5, warmup: { connections: 2, duration: 0.5 } })
  t.equal(result.warmup.accounting.scheduled, 10)
  t.equal(result.accounting.scheduled, 30)
})

t.test('limits are of the run, not of the warm-up', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 30, overallRate: 100, amount: 10, warmup: 0.3 })
  t.equal(result.warmup.accounting.completed, 30)
  t.equal(result.accounting.completed, 10)
})

t.test('what hangs in the warm-up does not reach into the run', (t) => inOneOfThree(t, async (timely) => {
  let hang = true
  const server = await httpServer(t, (request, response) => {
    if (!hang) response.end('ok')
    hang = false
  })
  const result = await run({ url: server.url, connections: 20, overallRate: 50, duration: 0.4, warmup: 0.3, timeout: 0.6 })
  balances(t, result.warmup)
  t.equal(result.warmup.accounting.timedOut, 1)
  balances(t, result)
  t.equal(result.accounting.completed, 20)
  t.equal(result.errors, 0)
}))

t.test('stop() in the warm-up ends the whole run', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const start = performance.now()
  const instance = run({ url: server.url, connections: 2, overallRate: 100, duration: 5, warmup: 5 })
  setTimeout(instance.stop, 300)
  const result = await instance
  t.ok(performance.now() - start < 4000, `${performance.now() - start} ms`)
  balances(t, result)
  t.equal(result.accounting.scheduled, 0)
  near(timely, result.warmup.accounting.scheduled, 30, 15, 'warmup.accounting.scheduled')
  await until(() => server.requests === result.warmup.accounting.sent)
}))

t.test('with a callback, as a promise and with events, all at once', async (t) => {
  const server = await httpServer(t)
  const heard = []
  const viaCallback = new Promise((resolve) => {
    const instance = run({ url: server.url, connections: 15, overallRate: 50, duration: 0.3, warmup: 0.3 }, (error, result) => {
      t.error(error)
      heard.push('callback')
      resolve(result)
    })
    for (const event of ['start', 'tick', 'done']) instance.on(event, () => heard.push(event))
    ended(instance).then(() => heard.push('promise'))
  })
  const result = await viaCallback
  t.equal(result.accounting.completed, 15)
  t.equal(result.warmup.accounting.completed, 15)
  await null
  t.same([...new Set(heard)].sort(), ['callback', 'done', 'promise', 'start', 'tick'])
  t.equal(heard.filter((each) => each === 'done').length, 1)
})
