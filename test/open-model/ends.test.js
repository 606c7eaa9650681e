'use strict'

// However a run ends, every request is in exactly one box, and the boxes agree with what the server counted.

const t = require('tap')
const { run } = require('../..')
const { delayServer, httpServer, hangingServer, silentServer, closedPort, rawServer, reply } = require('../support/servers')
const { until } = require('../support/wait')
const { balances, near, warning } = require('./helpers')

t.test('stop() ends at once, without a drain', async (t) => {
  const server = await delayServer(t, 200)
  const instance = run({ url: server.url, connections: 30, overallRate: 100, duration: 10 })
  setTimeout(instance.stop, 800)
  const start = performance.now()
  const result = await instance
  t.ok(performance.now() - start < 1800, `${performance.now() - start} ms`)
  balances(t, result)
  near(t, result.accounting.scheduled, result.duration * 100, 2, 'scheduled')
  near(t, result.rate.offered, 100, 3, 'rate.offered')
  near(t, result.accounting.unfinished, 20, 8, 'unfinished')
  t.equal(result.drain.completed, 0)
  t.ok(result.drain.seconds < 0.05)
  await until(() => server.requests === result.accounting.sent)
})

t.test('an abort signal does the same', async (t) => {
  const server = await delayServer(t, 100)
  const result = await run({ url: server.url, connections: 2, overallRate: 100, duration: 10, signal: AbortSignal.timeout(600) })
  balances(t, result)
  near(t, result.duration, 0.55, 0.2, 'duration')
  t.equal(result.accounting.unfinished, 2)
  t.ok(result.accounting.unsent > 20)
  await until(() => server.requests === result.accounting.sent)
})

t.test('stop() in the drain ends the drain', async (t) => {
  const server = await hangingServer(t, { every: 2 })
  const instance = run({ url: server.url, connections: 30, overallRate: 50, duration: 0.5 })
  setTimeout(instance.stop, 900)
  const result = await instance
  balances(t, result)
  near(t, result.duration, 0.5, 0.1, 'duration')
  near(t, result.drain.seconds, 0.4, 0.2, 'drain.seconds')
  t.equal(result.accounting.unfinished, server.hung)
  t.equal(result.accounting.completed, 25 - server.hung)
})

t.test('bailout', async (t) => {
  const server = await hangingServer(t, { every: 2 })
  const result = await run({ url: server.url, connections: 20, overallRate: 50, duration: 10, timeout: 0.4, bailout: 5 })
  balances(t, result)
  t.ok(result.accounting.timedOut >= 5 && result.accounting.timedOut < 12, `${result.accounting.timedOut}`)
  t.ok(result.duration < 1.5, `${result.duration}`)
  await until(() => server.requests === result.accounting.sent)
})

t.test('a server that is killed half-way', async (t) => {
  const server = await delayServer(t, 30)
  setTimeout(() => server.close(), 700)
  const result = await run({ url: server.url, connections: 5, overallRate: 100, duration: 1.5, timeout: 0.3 })
  balances(t, result)
  const { scheduled, completed, failed, unsent, sent } = result.accounting
  t.equal(scheduled, 150)
  t.ok(completed > 40 && completed < 110, `completed ${completed}`)
  t.ok(failed >= 1, `failed ${failed}`)
  t.ok(unsent > 30, `unsent ${unsent}`)
  t.ok(server.requests >= completed && server.requests <= sent, `the server saw ${server.requests} of ${sent}`)
  t.ok(result.connectionStats.failed > 0)
  t.ok(result.errorCodes.ECONNREFUSED.count > 0)
  // Those that waited to their deadline count with it, those near the end with their age.
  near(t, result.latency.p99, 300, 5, 'latency.p99')
  t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('a server that comes back: what has waited is sent', async (t) => {
  const server = await httpServer(t)
  const { port } = server
  setTimeout(() => server.close(), 400)
  const second = require('node:http').createServer((request, response) => response.end('back'))
  t.teardown(() => {
    second.closeAllConnections()
    second.close()
  })
  setTimeout(() => second.listen(port, '127.0.0.1'), 700)
  const result = await run({ url: server.url, connections: 5, overallRate: 50, duration: 2.5 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 125)
  t.ok(result.accounting.failed <= 5)
  t.equal(result.accounting.completed, 125 - result.accounting.failed)
  t.ok(result.latency.max > 200, `and has waited for that: ${result.latency.max}`)
})

t.test('all connections refused', async (t) => {
  const { url } = await closedPort(t)
  const result = await run({ url, connections: 5, overallRate: 100, duration: 1, timeout: 0.3 })
  balances(t, result)
  t.same(result.accounting, { scheduled: 100, unsent: 100, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 })
  t.equal(result.errors, result.connectionStats.failed)
  t.equal(result.errorCodes.ECONNREFUSED.count, result.errors)
  t.ok(result.errors < 100, `it backs off: ${result.errors}`)
  t.ok(result.latency.max <= 300)
  near(t, result.latency.p50, 300, 2, 'latency.p50')
  t.ok(warning(result, 'NO_CONNECTION'))
  t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
})

t.test('a server that never answers', async (t) => {
  const server = await silentServer(t)
  const result = await run({ url: server.url, connections: 10, overallRate: 100, duration: 1, timeout: 10, drain: 0.2 })
  balances(t, result)
  t.same(result.accounting, { scheduled: 100, unsent: 90, sent: 10, completed: 0, failed: 0, timedOut: 0, unfinished: 10 })
  // Due from 0 to 0.99 s, the end is at 1.2 s.
  near(t, result.latency.max, 1200, 100, 'latency.max')
  near(t, result.latency.p50, 700, 60, 'latency.p50')
  near(t, result.latency.min, 210, 60, 'latency.min')
})

t.test('a server that closes each connection after one answer loses nothing', async (t) => {
  const server = await rawServer(t, (socket) => socket.end(reply('ok', { headers: { Connection: 'close' } })))
  const result = await run({ url: server.url, connections: 10, pipelining: 3, overallRate: 100, duration: 1 })
  balances(t, result)
  t.equal(result.accounting.completed + result.accounting.failed, 100)
  t.ok(server.requests >= result.accounting.completed && server.requests <= result.accounting.sent)
  t.ok(result.accounting.completed >= 90, `completed ${result.accounting.completed}`)
})
