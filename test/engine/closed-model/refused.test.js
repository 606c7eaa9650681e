'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { closedPort, blackHole, tlsServer, silentServer, rawServer, httpServer } = require('../../support/servers')

// The number of attempts of one connection within a time, with pauses of 10 ms, 20 ms, … up to a second between them.
function attempts (seconds) {
  let count = 1
  for (let at = 0, wait = 10; at + wait <= seconds * 1000; at += wait, wait = Math.min(1000, wait * 2)) count++
  return count
}

t.test('nobody listens: attempts back off, do not count as requests, and the reason is reported', async (t) => {
  const { url } = await closedPort(t)
  const cpu = process.cpuUsage()
  const result = await benchmark(t, { url, connections: 10, duration: 1 })
  const { user, system } = process.cpuUsage(cpu)
  t.match(result.accounting, { scheduled: 0, sent: 0, completed: 0, failed: 0 })
  between(t, result.connectionStats.failed, 40, 10 * attempts(result.duration), 'attempts')
  t.equal(result.errors, result.connectionStats.failed)
  t.match(result.errorCodes, { ECONNREFUSED: { count: result.errors, phase: 'connect', message: /ECONNREFUSED/ } })
  between(t, (user + system) / 1e6, 0, 0.6, 'CPU seconds')
  t.ok(result.warnings.some(({ code, message }) => code === 'NO_CONNECTION' && message.includes('ECONNREFUSED')))
})

t.test('nobody listens: a run by amount sends nothing and ends after the timeout', async (t) => {
  const { url } = await closedPort(t)
  const result = await benchmark(t, { url, connections: 4, amount: 1000, timeout: 0.4 })
  t.match(result.accounting, { sent: 0, completed: 0 })
  t.equal(result.requests.sent, 0)
  between(t, result.duration, 0.39, 2, 'duration')
  t.ok(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
})

t.test('connection attempts without any reply: each has the timeout as its deadline', { skip: process.platform !== 'linux' && 'needs Linux' }, async (t) => {
  const { url } = await blackHole(t)
  const result = await benchmark(t, { url, connections: 3, duration: 1, timeout: 0.25 })
  t.match(result.accounting, { sent: 0 })
  t.same(Object.keys(result.errorCodes), ['CANNONADE_CONNECT_TIMEOUT'])
  t.match(result.errorCodes.CANNONADE_CONNECT_TIMEOUT, { phase: 'connect', count: result.errors })
  // 250 ms each, and pauses of 10 to 40 ms between them.
  between(t, result.errors, 3, 12, 'attempts')
  t.equal(result.timeouts, 0, 'there was no request that could time out')
})

t.test('a TLS handshake that fails', async (t) => {
  const server = await tlsServer(t)
  const result = await benchmark(t, { url: server.url, connections: 2, duration: 0.8, tlsOptions: { rejectUnauthorized: true } })
  t.match(result.accounting, { sent: 0 })
  t.match(result.errorCodes, { SELF_SIGNED_CERT_IN_CHAIN: { count: result.errors, phase: 'tls' } })
  between(t, result.connectionStats.failed, 2, 2 * attempts(result.duration), 'attempts')
  t.equal(result.connectTime.totalCount, 0)
  t.equal(server.requests, 0)
})

t.test('a server that accepts connections and stays silent during the TLS handshake', async (t) => {
  const server = await silentServer(t)
  const result = await benchmark(t, { url: server.url.replace('http:', 'https:'), connections: 2, duration: 0.7, timeout: 0.2 })
  t.match(result.accounting, { sent: 0 })
  t.match(result.errorCodes, { CANNONADE_CONNECT_TIMEOUT: { count: result.errors, phase: 'tls' } })
})

t.test('a server without TLS', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url.replace('http:', 'https:'), connections: 2, duration: 0.8 })
  t.match(result.accounting, { sent: 0 })
  t.equal(Object.values(result.errorCodes)[0].phase, 'tls')
  between(t, result.connectionStats.failed, 2, 2 * attempts(result.duration), 'attempts')
})

t.test('a host name that does not exist', async (t) => {
  const result = await benchmark(t, { url: 'http://does-not-exist.invalid', connections: 2, duration: 0.5 })
  t.match(result.accounting, { sent: 0 })
  for (const { phase } of Object.values(result.errorCodes)) t.equal(phase, 'dns')
  between(t, result.connectionStats.failed, 0, 2 * attempts(result.duration), 'attempts')
})

t.test('connections that are closed at once back off as well', async (t) => {
  const server = await rawServer(t, () => {}, { onConnection: (socket) => socket.destroy() })
  const { accounting, connectionStats, duration } = await benchmark(t, { url: server.url, connections: 4, duration: 0.6 })
  between(t, server.connections, 4, 4 * attempts(duration + 0.2), 'connections')
  t.equal(accounting.completed, 0)
  between(t, accounting.failed, 0, connectionStats.opened, 'failed')
})

t.test('the first response resets the back-off', async (t) => {
  // Five attempts without a response cost 10 + 20 + … + 160 ms; then each response is followed by a close.
  const server = await rawServer(t, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'), {
    onConnection: (socket, number) => { if (number < 5) socket.resetAndDestroy() }
  })
  const { accounting } = await benchmark(t, { url: server.url, connections: 1, duration: 1 })
  // If pauses kept growing, there would be two.
  t.ok(accounting.completed > 10, `${accounting.completed} completed, with a connection for each`)
})
