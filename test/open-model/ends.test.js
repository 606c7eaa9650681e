'use strict'

// However a run ends, every request is in exactly one box, and the boxes agree with what the server counted.

const t = require('tap')
const { run } = require('../..')
const { delayServer, httpServer, hangingServer, silentServer, closedPort, rawServer, reply } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { until } = require('../support/wait')
const { balances, near, warning } = require('./helpers')

t.test('stop() ends at once, without a drain', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 200)
    const instance = run({ url: server.url, connections: 30, overallRate: 100, duration: 10 })
    instance.once('start', () => setTimeout(instance.stop, 800))
    const start = performance.now()
    const result = await instance
    t.ok(performance.now() - start < 5000, `${performance.now() - start} ms`)
    balances(t, result)
    near(t, result.accounting.scheduled, result.duration * 100, 2, 'scheduled')
    near(t, result.rate.offered, result.accounting.scheduled / result.duration, 0.5, 'rate.offered')
    near(timely, result.accounting.unfinished, 20, 8, 'unfinished')
    t.equal(result.drain.completed, 0)
    timely.ok(result.drain.seconds < 0.05, `drain of ${result.drain.seconds} s`)
    await until(() => server.requests === result.accounting.sent)
  })
})

t.test('an abort signal does the same', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 100)
    const result = await run({ url: server.url, connections: 2, overallRate: 100, duration: 10, signal: AbortSignal.timeout(600) })
    balances(t, result)
    near(timely, result.duration, 0.55, 0.2, 'duration')
    t.ok(result.duration < 5, `duration ${result.duration}`)
    t.ok(result.accounting.unfinished <= 2)
    timely.equal(result.accounting.unfinished, 2, 'unfinished')
    timely.ok(result.accounting.unsent > 20, `${result.accounting.unsent} unsent`)
    await until(() => server.requests === result.accounting.sent)
  })
})

t.test('stop() in the drain ends the drain', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await hangingServer(t, { every: 2 })
    const instance = run({ url: server.url, connections: 30, overallRate: 50, duration: 0.5 })
    setTimeout(instance.stop, 900)
    const result = await instance
    balances(t, result)
    t.equal(result.accounting.scheduled, 25)
    near(timely, result.duration, 0.5, 0.1, 'duration')
    near(timely, result.drain.seconds, 0.4, 0.2, 'drain.seconds')
    timely.equal(result.accounting.unfinished, server.hung, 'unfinished')
    timely.equal(result.accounting.completed, 25 - server.hung, 'completed')
  })
})

t.test('bailout', async (t) => {
  const server = await hangingServer(t, { every: 2 })
  const result = await run({ url: server.url, connections: 20, overallRate: 50, duration: 10, timeout: 0.4, bailout: 5 })
  balances(t, result)
  // At most all that hang when the fifth is seen: one on each connection.
  t.ok(result.accounting.timedOut >= 5 && result.accounting.timedOut <= 20, `${result.accounting.timedOut}`)
  t.ok(result.duration < 5, `${result.duration}`)
  await until(() => server.requests === result.accounting.sent)
})

t.test('a server that is killed half-way', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await delayServer(t, 30)
    setTimeout(() => server.close(), 700)
    const result = await run({ url: server.url, connections: 5, overallRate: 100, duration: 1.5, timeout: 0.3 })
    balances(t, result)
    const { scheduled, completed, failed, unsent, sent } = result.accounting
    t.equal(scheduled, 150)
    timely.ok(completed > 40 && completed < 110, `completed ${completed}`)
    timely.ok(failed >= 1, `failed ${failed}`)
    timely.ok(unsent > 30, `unsent ${unsent}`)
    t.ok(server.requests >= completed && server.requests <= sent, `the server saw ${server.requests} of ${sent}`)
    t.ok(result.connectionStats.failed > 0)
    t.ok(result.errorCodes.ECONNREFUSED.count > 0)
    // Those that waited to their deadline count with it, those near the end with their age.
    near(timely, result.latency.p99, 300, 5, 'latency.p99')
    t.ok(warning(result, 'RATE_NOT_ACHIEVED'))
  })
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
  // So many connections that what a pause of the client leaves for the last moment can still be sent.
  const result = await run({ url: server.url, connections: 30, overallRate: 50, duration: 2.5 })
  balances(t, result)
  t.equal(result.accounting.scheduled, 125)
  t.ok(result.accounting.failed <= 30)
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
  await inOneOfThree(t, async (timely) => {
    const server = await silentServer(t)
    const result = await run({ url: server.url, connections: 10, overallRate: 100, duration: 1, timeout: 10, drain: 0.2 })
    balances(t, result)
    t.same(result.accounting, { scheduled: 100, unsent: 90, sent: 10, completed: 0, failed: 0, timedOut: 0, unfinished: 10 })
    // Due from 0 to 0.99 s, the end is at 1.2 s.
    near(timely, result.latency.max, 1200, 100, 'latency.max')
    near(timely, result.latency.p50, 700, 60, 'latency.p50')
    near(timely, result.latency.min, 210, 60, 'latency.min')
  })
})

t.test('a server that closes each connection after one answer loses nothing', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await rawServer(t, (socket) => socket.end(reply('ok', { headers: { Connection: 'close' } })))
    const result = await run({ url: server.url, connections: 10, pipelining: 3, overallRate: 100, duration: 1 })
    balances(t, result)
    const { scheduled, sent, completed, failed } = result.accounting
    t.equal(scheduled, 100)
    t.ok(server.requests >= completed && server.requests <= sent)
    // What comes due while the client stands still goes out in threes, of which two are lost.
    timely.equal(completed + failed, 100, 'completed or failed')
    timely.ok(completed >= 90, `completed ${completed}`)
  })
})
