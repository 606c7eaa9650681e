'use strict'

// The schedule's clock starts when the connections are open: connecting is no latency, and there is no burst at the start.

const t = require('tap')
const { run } = require('../..')
const net = require('node:net')
const { tlsServer, silentServer, httpServer, closedPort } = require('../support/servers')
const { track } = require('../support/tracked')
const { inOneOfThree } = require('../support/timely')
const { sleep } = require('../support/wait')
const { balances, near, lateness, quantile } = require('./helpers')

// A TLS server that takes this long before it begins each handshake.
async function slowHandshakes (t, ms) {
  const behind = await tlsServer(t)
  const front = net.createServer({ pauseOnConnect: true }, async (socket) => {
    await sleep(ms)
    if (!socket.destroyed) behind.server.emit('connection', socket)
  })
  const tracked = await track(t, front, { scheme: 'https' })
  return { url: tracked.url, behind }
}

t.test('requests do not wait for slow handshakes, nor come in a burst after them', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const { url, behind } = await slowHandshakes(t, 400)
    const result = await run({ url, connections: 50, overallRate: 100, duration: 1 })
    balances(t, result)
    t.equal(result.accounting.completed, 100)
    t.ok(result.connectTime.min >= 390, `connecting took ${result.connectTime.min}`)
    timely.ok(result.latency.p99 < 200, `latency.p99 ${result.latency.p99}`)
    timely.ok(result.latency.p50 < 100, `latency.p50 ${result.latency.p50}`)
    near(timely, result.duration, 1, 0.2, 'duration is that of the schedule')
    const late = lateness(behind.arrivals, behind.arrivals.map((_, index) => index * 10))
    timely.ok(quantile(late, 0.75) < 8, `evenly from the start: ${quantile(late, 0.75)}`)
  })
})

t.test('a server that never comes up does not keep the schedule from starting', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const { port } = await silentServer(t)
    const start = performance.now()
    const result = await run({ url: `https://127.0.0.1:${port}`, connections: 2, overallRate: 100, duration: 0.5, timeout: 5 })
    balances(t, result)
    t.equal(result.accounting.unsent, 50)
    near(timely, result.latency.p50, 250, 40, 'the ages of what came due')
    near(timely, performance.now() - start, 1500, 400, 'a second of patience, and the run')
  })
})

t.test('nor does one address of two', async (t) => {
  const healthy = await tlsServer(t)
  const { port } = await silentServer(t)
  // Pipelined, so that the one connection takes what a pause of the client leaves for the last moment.
  const opts = { connections: 2, pipelining: 25, overallRate: 50, duration: 0.5, timeout: 5 }
  const result = await run({ url: [healthy.url, `https://127.0.0.1:${port}`], ...opts })
  balances(t, result)
  t.equal(result.accounting.completed, 25)
  t.equal(result.connectionStats.opened, 1)
})

t.test('a server that refuses is known at once', async (t) => {
  const { url } = await closedPort(t)
  const start = performance.now()
  const result = await run({ url, connections: 3, overallRate: 100, duration: 0.5 })
  balances(t, result)
  t.equal(result.accounting.unsent, 50)
  const elapsed = performance.now() - start
  t.ok(elapsed >= 490 && elapsed < 1490, `without the second of patience: ${elapsed} ms`)
})

t.test('stop() while connections are being opened', async (t) => {
  const { port } = await silentServer(t)
  const start = performance.now()
  const instance = run({ url: `https://127.0.0.1:${port}`, connections: 2, overallRate: 100, duration: 5 })
  setTimeout(instance.stop, 200)
  const result = await instance
  balances(t, result)
  t.ok(performance.now() - start < 4000, `${performance.now() - start} ms`)
  t.equal(result.accounting.scheduled, 0)
})

t.test('the schedule waits for what setupClient does first', async (t) => {
  await inOneOfThree(t, async (timely) => {
    const server = await httpServer(t)
    const result = await run({
      url: server.url,
      connections: 50,
      overallRate: 100,
      duration: 0.5,
      setupClient: () => sleep(300)
    })
    balances(t, result)
    t.equal(result.accounting.completed, 50)
    timely.ok(result.latency.p99 < 200, `latency.p99 ${result.latency.p99}`)
  })
})
