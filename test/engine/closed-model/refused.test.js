'use strict'

const t = require('tap')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { closedPort, tlsServer, httpServer } = require('../../support/servers')

// When a connection without any response is opened again, ms: after pauses of 10 ms, 20 ms, … up to a second between the attempts.
function attempts (until) {
  const times = []
  for (let at = 0, wait = 10; at < until; at += wait, wait = Math.min(1000, wait * 2)) times.push(at)
  return times
}

const begunAt = ({ sockets }) => sockets.map((socket) => Math.round((socket.begunAt - sockets[0].begunAt) / 1000))

t.test('nobody listens: attempts back off, do not count as requests, and the reason is reported', async (t) => {
  const { result, world } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 10, duration: 5 })
  t.match(result.accounting, { scheduled: 0, sent: 0, completed: 0, failed: 0 })
  const expected = attempts(5000).flatMap((at) => Array(10).fill(at))
  t.same(begunAt(world), expected)
  t.match(result, { errors: expected.length, connectionStats: { failed: expected.length } })
  t.match(result.errorCodes, { ECONNREFUSED: { count: result.errors, phase: 'connect', message: /ECONNREFUSED/ } })
  t.ok(result.warnings.some(({ code, message }) => code === 'NO_CONNECTION' && message.includes('ECONNREFUSED')))
})

t.test('nobody listens: a run by amount sends nothing and ends after the timeout', async (t) => {
  const { result } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 4, amount: 1000, timeout: 0.4 })
  t.match(result, { accounting: { sent: 0, completed: 0 }, requests: { sent: 0 } })
  between(t, result.duration, 0.4, 0.426, 'duration, checked every 25 ms')
  t.ok(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
})

t.test('connection attempts without any reply: each has the timeout as its deadline', async (t) => {
  const { result, world } = await playInWorld(t, { attempt: () => 'silence' }, { connections: 3, duration: 1, timeout: 0.25 })
  t.match(result.accounting, { sent: 0 })
  t.same(Object.keys(result.errorCodes), ['CANNONADE_CONNECT_TIMEOUT'])
  t.match(result.errorCodes.CANNONADE_CONNECT_TIMEOUT, { count: 9, phases: { connect: 9 }, message: 'no connection within 0.25 seconds' })
  // 250 ms each, and pauses of 10, 20 and 40 ms between them.
  t.same(begunAt(world), [0, 260, 530, 820].flatMap((at) => [at, at, at]))
  t.equal(result.timeouts, 0, 'there was no request that could time out')
})

t.test('a server that accepts connections and stays silent during the TLS handshake', async (t) => {
  const { result } = await playInWorld(t, { secure: true, handshake: 'silence' }, { connections: 2, duration: 0.7, timeout: 0.2 })
  t.match(result.accounting, { sent: 0 })
  t.match(result.errorCodes, { CANNONADE_CONNECT_TIMEOUT: { count: result.errors, phases: { tls: result.errors }, message: 'no connection within 0.2 seconds' } })
  t.equal(result.timeouts, 0, 'there was no request that could time out')
})

t.test('a host name that does not exist', async (t) => {
  const { result, world } = await playInWorld(t, { host: 'does-not-exist.test', lookupError: 'ENOTFOUND' }, { connections: 2, duration: 0.5 })
  t.match(result, { accounting: { sent: 0 }, connectionStats: { failed: 2 * attempts(500).length } })
  t.match(result.errorCodes, { ENOTFOUND: { count: result.errors, phase: 'dns' } })
  t.same(begunAt(world), attempts(500).flatMap((at) => [at, at]))
})

t.test('connections that are closed at once back off as well', async (t) => {
  for (const attempt of ['end', 'reset']) {
    const { result, world } = await playInWorld(t, { attempt: () => attempt }, { connections: 4, duration: 0.6 })
    t.same(begunAt(world), attempts(600).flatMap((at) => Array(4).fill(at)))
    t.equal(result.accounting.completed, 0)
  }
})

t.test('the first response resets the back-off', async (t) => {
  // Five attempts without a response cost 10 + 20 + … + 160 ms; then each response is followed by a close.
  const settings = { attempt: (number) => number < 5 ? 'reset' : 'accept', keepAlive: 1, serviceTime: 5 }
  const { world } = await playInWorld(t, settings, { connections: 1, duration: 0.4 })
  t.same(begunAt(world).slice(0, 20), [...attempts(300).slice(0, 5), ...Array.from({ length: 15 }, (_, number) => 310 + 5 * number)])
})

// --- the same with real sockets, until there have been two errors

t.test('nobody listens at a real port', async (t) => {
  const { url } = await closedPort(t)
  const result = await benchmark(t, { url, connections: 2, duration: 60, bailout: 2 })
  t.match(result.accounting, { scheduled: 0, sent: 0 })
  t.match(result.errorCodes, { ECONNREFUSED: { count: result.errors, phase: 'connect', message: /ECONNREFUSED/ } })
})

t.test('a TLS handshake that fails', async (t) => {
  const server = await tlsServer(t)
  const result = await benchmark(t, { url: server.url, connections: 2, duration: 60, bailout: 2, tlsOptions: { rejectUnauthorized: true } })
  t.match(result.accounting, { sent: 0 })
  t.match(result.errorCodes, { SELF_SIGNED_CERT_IN_CHAIN: { count: result.errors, phase: 'tls' } })
  t.equal(result.connectionStats.failed, result.errors)
  t.equal(result.connectTime.totalCount, 0)
  t.equal(server.requests, 0)
})

t.test('a server without TLS', async (t) => {
  const server = await httpServer(t)
  const result = await benchmark(t, { url: server.url.replace('http:', 'https:'), connections: 2, duration: 60, bailout: 2 })
  t.match(result, { accounting: { sent: 0 }, connectionStats: { failed: result.errors } })
  t.same(Object.values(result.errorCodes).map(({ phases }) => Object.keys(phases)), Object.values(result.errorCodes).map(() => ['tls']))
})
