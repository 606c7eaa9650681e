'use strict'

const t = require('tap')
const run = require('../..')
const { benchmark, between } = require('./benchmark')
const { httpServer, tlsServer } = require('../support/servers')
const { violations } = require('../support/accounts')
const { inOneOfThree } = require('../support/timely')
const { sleep, until } = require('../support/wait')

t.test('the warm-up is on the connections of the run, and none of it is in the result', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const start = performance.now()
  const result = await benchmark(t, { url: server.url, connections: 4, duration: 0.4, warmup: { duration: 0.3 } })
  between(timely, performance.now() - start, 700, 2500, 'ms in all')
  await until(() => server.openConnections === 0)
  t.equal(server.connections, 4)
  t.match(result.warmup.connectionStats, { opened: 4 })
  t.match(result.connectionStats, { opened: 0, peak: 4 })
  t.equal(result.warmup.accounting.unfinished, 0, 'it waits for its answers, so that the connections are free')
  between(timely, result.duration, 0.4, 0.8, 'duration')
  between(timely, result.warmup.duration, 0.3, 0.7, 'duration of the warm-up')
  between(t, server.requests, result.warmup.accounting.sent + result.accounting.completed, result.warmup.accounting.sent + result.accounting.sent, 'received')
}))

t.test('so it is with hooks that take their time, and with pipelining', async (t) => {
  const hooks = { setupRequest: async (request) => sleep(2).then(() => request), onResponse: () => sleep(2) }
  for (const opts of [{ requests: [hooks] }, { pipelining: 3 }, { requests: [hooks], pipelining: 3 }]) {
    const server = await httpServer(t)
    const result = await benchmark(t, { url: server.url, connections: 3, duration: 0.2, warmup: { duration: 0.2 }, ...opts })
    await until(() => server.openConnections === 0)
    t.equal(server.connections, 3)
    t.match(result.connectionStats, { opened: 0, peak: 3 })
    const sent = result.warmup.accounting.sent
    between(t, server.requests, sent + result.accounting.completed, sent + result.accounting.sent, 'received')
  }
})

t.test('a warm-up with other connections than the run', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url, connections: 2, duration: 0.2, warmup: { connections: 5, duration: 0.2 } })
  await until(() => server.connections === 7)
  t.equal(result.warmup.connections, 5)
  t.equal(result.connections, 2)
})

t.test('the cost of the first requests is not in the numbers', (t) => inOneOfThree(t, async (timely) => {
  // The first request of each connection is slow, and so is its handshake.
  const seen = new WeakSet()
  const server = await tlsServer(t, (request, response) => {
    const wait = seen.has(request.socket) ? 1 : 200
    seen.add(request.socket)
    setTimeout(() => response.end('ok'), wait)
  })
  const result = await benchmark(t, { url: server.url, connections: 3, duration: 0.4, warmup: { duration: 0.4 } })
  between(timely, result.latency.max, 1, 190, 'latency.max')
  between(timely, result.warmup.latency.max, 199, 600, 'latency.max of the warm-up')
  t.equal(result.connectTime.totalCount, 0)
}))

t.test('any way of calling', async (t) => {
  const server = await httpServer(t)
  const opts = { url: server.url, connections: 2, duration: 0.2, warmup: { duration: 0.8 } }
  const result = await new Promise((resolve, reject) => run(opts, (error, result) => error ? reject(error) : resolve(result)))
  t.ok(result.warmup.accounting.completed > 0)
  t.same(violations(result, { inherited: 2 }), [])
})

t.test('stop during the warm-up', async (t) => {
  const server = await httpServer(t)
  const start = performance.now()
  const instance = run({ url: server.url, connections: 2, duration: 20, warmup: { duration: 20 } })
  await until(() => server.answered > 10)
  instance.stop()
  const result = await instance
  between(t, performance.now() - start, 0, 15_000, 'ms in all')
  t.ok(result.warmup.accounting.completed > 0)
  t.match(result.accounting, { scheduled: 0, sent: 0 })
})

t.test('an amount is that of the run alone', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url, connections: 3, amount: 100, warmup: { duration: 0.2 } })
  t.match(result.accounting, { sent: 100, completed: 100 })
  t.equal(server.requests, 100 + result.warmup.accounting.sent)
})
