'use strict'

const t = require('tap')
const tls = require('node:tls')
const { benchmark, between } = require('./benchmark')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer, tlsServer, unixServer, certificates } = require('../../support/servers')
const { together } = require('../../support/together')

const HANDSHAKE_MS = 50

// The handshake waits until the certificate has been selected by server name.
function slowHandshakes (t) {
  const { serverKey: key, serverCert: cert } = certificates
  return tlsServer(t, together(10), {
    SNICallback: (name, choose) => setTimeout(() => choose(null, tls.createSecureContext({ key, cert })), HANDSHAKE_MS)
  })
}

t.test('handshakes are not part of latency, and their parts are reported separately', async (t) => {
  const server = await slowHandshakes(t)
  const result = await benchmark(t, { url: server.url, servername: 'cannonade.test', connections: 10, amount: 60 })
  const { connectTime } = result
  t.equal(server.handshakes, 10)
  t.equal(connectTime.totalCount, 10)
  t.equal(connectTime.tls.totalCount, 10)
  t.ok(connectTime.tls.min >= HANDSHAKE_MS - 2, `tls.min ${connectTime.tls.min}`)
  t.ok(connectTime.min >= HANDSHAKE_MS - 2, `min ${connectTime.min}`)
  t.equal(connectTime.dns.totalCount, 0, 'an address needs no name server')
})

t.test('to the microsecond', async (t) => {
  const settings = { host: 'shop.test', secure: true, lookup: 20, handshake: 400, link: { delay: 5 }, serviceTime: 2 }
  const { result: { latency, connectTime, timeToFirstByte } } = await playInWorld(t, settings, { connections: 10, amount: 60 })
  t.match(connectTime, { min: 440, max: 440, totalCount: 10, dns: { max: 20 }, tcp: { max: 10 }, tls: { max: 410 } })
  t.match(latency, { min: 12, max: 12 })
  t.match(timeToFirstByte, { min: 12, max: 12 })
})

t.test('of attempts that hang, each step has lasted since the one before it', async (t) => {
  const { result: { missing } } = await playInWorld(t, { host: 'shop.test', lookup: 20, attempt: () => 'silence' }, { connections: 2, duration: 0.3, timeout: 0.1 })
  // Two attempts of each connection time out, and one is 70 ms old when the run ends.
  t.same(missing.connectTime, { count: 6, smallest: 70, largest: 100, total: 540 })
  t.same(missing.tcpTime, { count: 6, smallest: 50, largest: 80, total: 420 })
})

t.test('a name is looked up, an address is not; without TLS there is no TLS time', async (t) => {
  const server = await httpServer(t, together(3))
  const named = await benchmark(t, { url: `http://localhost:${server.port}`, connections: 3, amount: 30 })
  t.equal(named.connectTime.totalCount, 3)
  t.equal(named.connectTime.dns.totalCount, 3)
  t.equal(named.connectTime.tcp.totalCount, 3)
  t.equal(named.connectTime.tls.totalCount, 0)
  t.ok(named.connectTime.dns.min >= 0 && named.connectTime.tcp.min > 0)

  const other = await httpServer(t, together(3))
  const plain = await benchmark(t, { url: other.url, connections: 3, amount: 30 })
  t.equal(plain.connectTime.dns.totalCount, 0)
  t.equal(plain.connectTime.totalCount, 3)
})

t.test('the parts add up to the total', async (t) => {
  const server = await tlsServer(t)
  const { connectTime } = await benchmark(t, { url: server.url.replace('127.0.0.1', 'localhost'), connections: 1, amount: 1 })
  const parts = connectTime.dns.max + connectTime.tcp.max + connectTime.tls.max
  between(t, parts, connectTime.max - 0.01, connectTime.max + 0.01, 'dns + tcp + tls')
})

t.test('a unix socket', async (t) => {
  const server = await unixServer(t, together(2))
  const result = await benchmark(t, { url: server.url, socketPath: server.socketPath, connections: 2, amount: 50 })
  t.match(result, { socketPath: server.socketPath, accounting: { completed: 50 } })
  t.equal(result.connectTime.totalCount, 2)
  t.equal(server.requests, 50)
})
