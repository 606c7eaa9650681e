'use strict'

const t = require('tap')
const net = require('node:net')
const tls = require('node:tls')
const { run } = require('../..')
const { addsUp } = require('../support/accounts')
const { certificates, httpServer, rawServer, reply, tlsServer } = require('../support/servers')
const { track } = require('../support/tracked')
const { until } = require('../support/wait')
const { answerTo, bothWays } = require('../protocol/numbered')

// A server that does something else when the client has started a handshake.
async function spoiler (t, spoil) {
  const server = net.createServer((socket) => socket.once('data', () => spoil(socket)))
  return track(t, server, { scheme: 'https' })
}

// Every attempt fails in the handshake: no connection was ever open, no request was sent.
async function failsInHandshake (t, url, codes, opts) {
  const result = await run({ url, connections: 2, duration: 60, bailout: 2, ...opts })
  addsUp(t, result)
  t.equal(result.accounting.scheduled, 0)
  t.match(result.connectionStats, { opened: 0, peak: 0 })
  t.ok(result.connectionStats.failed >= 2)
  for (const [code, { count, phases, message }] of Object.entries(result.errorCodes)) {
    t.match(code, codes)
    t.strictSame(phases, { tls: count })
    t.ok(message.length > 5, message)
  }
  t.equal(result.connectTime.totalCount, 0)
  return result
}

t.test('a healthy server', async (t) => {
  const server = await tlsServer(t)
  for (const pipelining of [1, 4]) {
    const result = await run({ url: server.url, connections: 3, pipelining, maxConnectionRequests: 50, duration: 600 })
    addsUp(t, result)
    t.equal(result['2xx'], 150)
    t.strictSame(result.errorCodes, {})
    const { tcp, tls } = result.connectTime
    t.strictSame([tcp.totalCount, tls.totalCount], [3, 3])
    t.ok(tls.min > 0 && result.connectTime.max >= tls.max)
  }
  t.equal(server.requests, 300)
})

t.test('a plain HTTP server', async (t) => {
  const server = await httpServer(t)
  await failsInHandshake(t, server.url.replace('http:', 'https:'), /^(EPROTO|ECONNRESET|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/)
  t.equal(server.requests, 0)
})

t.test('a server with an incompatible TLS version', async (t) => {
  const server = await tlsServer(t, undefined, { minVersion: 'TLSv1.3' })
  await failsInHandshake(t, server.url, /^(EPROTO|ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)$/, { tlsOptions: { maxVersion: 'TLSv1.2' } })
})

t.test('a certificate that is to be verified', async (t) => {
  const server = await tlsServer(t)
  const strict = { rejectUnauthorized: true }
  await failsInHandshake(t, server.url, /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/, { tlsOptions: strict })
  const trusted = await run({ url: server.url, amount: 10, tlsOptions: { ...strict, ca: certificates.ca } })
  t.equal(trusted['2xx'], 10)
  await failsInHandshake(t, server.url, /^ERR_TLS_CERT_ALTNAME_INVALID$/, { tlsOptions: { ...strict, ca: certificates.ca }, servername: 'nobody.test' })
})

t.test('FIN during the handshake', async (t) => {
  const server = await spoiler(t, (socket) => socket.end())
  const result = await failsInHandshake(t, server.url, /^ECONNRESET$/)
  // At the end, each of them may be connecting.
  const { failed } = result.connectionStats
  t.ok(failed <= server.connections && failed >= server.connections - result.connections, `${failed} of ${server.connections}`)
})

t.test('RST during the handshake', async (t) => {
  const server = await spoiler(t, (socket) => socket.resetAndDestroy())
  await failsInHandshake(t, server.url, /^(ECONNRESET|EPIPE)$/)
})

t.test('garbage during the handshake', async (t) => {
  const server = await spoiler(t, (socket) => socket.write('\x16\x03\x03\x00\x05\xff\xff\xff\xff\xff'))
  await failsInHandshake(t, server.url, /^(EPROTO|ERR_SSL_\w+)$/)
})

t.test('invalid tlsOptions are failed connections, with back-off, and throw nothing', async (t) => {
  const server = await tlsServer(t)
  for (const tlsOptions of [{ cert: 'no certificate', key: 'no key' }, { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.2' }]) {
    const outcome = await run({ url: server.url, connections: 1, duration: 60, bailout: 1, tlsOptions }).catch((error) => error)
    if (outcome instanceof Error) {
      t.match(outcome, { code: 'CANNONADE_BAD_OPTION', option: 'tlsOptions' })
    } else {
      addsUp(t, outcome)
      t.equal(outcome.connectionStats.opened, 0)
      t.ok(outcome.connectionStats.failed >= 1)
    }
  }
})

t.test('tlsOptions that are only found to be invalid when a socket is created fail in the phase of connecting, whether there is a name to look up or not', async (t) => {
  const server = await tlsServer(t)
  for (const url of [server.url, `https://localhost:${server.port}`]) {
    const { errorCodes, connectionStats } = await run({ url, connections: 1, duration: 60, bailout: 1, tlsOptions: { checkServerIdentity: 'no function' } })
    t.same(Object.values(errorCodes).map(({ count, phases }) => ({ count, phases })), [{ count: 1, phases: { connect: 1 } }], url)
    t.match(connectionStats, { opened: 0, failed: 1 })
  }
})

// --- the life of a connection, within TLS

const secure = { server: { tls: true } }

bothWays(t, 'close_notify after each fifth response', (socket, request, index, answer) => {
  if (request.indexOnConnection === 4) socket.end(answer)
  else socket.write(answer)
}, { ...secure, connections: 2, amount: 40 }, (t, result) => {
  const { completed, failed } = result.accounting
  t.equal(completed + failed, 40)
  t.ok(completed >= 32)
  if (failed > 0) {
    const lost = Object.keys(result.errorCodes)
    t.ok(lost.every((code) => ['CANNONADE_CLOSED_BY_SERVER', 'ECONNRESET', 'EPIPE'].includes(code)), lost.join())
  }
})

bothWays(t, 'close_notify in the middle of a body', (socket, request, index, answer) => {
  if (request.indexOnConnection === 3) socket.end(reply('short', { length: 50 }))
  else if (request.indexOnConnection < 3) socket.write(answer)
}, { ...secure, amount: 20 }, (t, result) => {
  t.match(result.accounting, { completed: 15, failed: 5 })
  t.match(result.errorCodes, { CANNONADE_TRUNCATED_RESPONSE: { count: 5, phase: 'receive' } })
})

bothWays(t, 'a body until close_notify', (socket, request) => socket.end(answerTo(request, { length: null })), {
  ...secure,
  connections: 2,
  amount: 20
}, (t, result) => {
  t.equal(result.accounting.completed, 20)
  t.strictSame(result.errorCodes, {})
})

t.test('the transport closes without close_notify', async (t) => {
  for (const end of ['destroy', 'resetAndDestroy']) {
    const transports = []
    const server = await rawServer(t, (socket, { connection, indexOnConnection }) => {
      if (indexOnConnection < 2) socket.write(reply('ok'))
      else transports[connection][end]()
    }, { tls: true })
    server.server.on('connection', (transport) => transports.push(transport))
    const result = await run({ url: server.url, connections: 1, amount: 9 })
    addsUp(t, result)
    t.match(result.accounting, { completed: 6, failed: 3 })
    for (const code of Object.keys(result.errorCodes)) t.match(code, /^(CANNONADE_CLOSED_BY_SERVER|CANNONADE_TRUNCATED_RESPONSE|ECONNRESET|EPIPE)$/)
  }
})

t.test('a required client certificate that is not sent', async (t) => {
  const server = await tlsServer(t, undefined, { requestCert: true })
  const result = await run({ url: server.url, connections: 1, duration: 60, bailout: 1 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 0)
  t.equal(server.requests, 0)
  await until(() => server.failedHandshakes >= 1)
  t.ok(Object.keys(result.errorCodes).length >= 1)
  const { clientKey: key, clientCert: cert } = certificates
  const good = await run({ url: server.url, connections: 2, amount: 20, tlsOptions: { key, cert } })
  t.equal(good['2xx'], 20)
})

t.test('a renegotiation during a connection is not a second connection', async (t) => {
  let renegotiations = 0
  const server = tls.createServer({ key: certificates.serverKey, cert: certificates.serverCert, maxVersion: 'TLSv1.2' }, (socket) => {
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', () => {
      if (++requests !== 3) return socket.write(reply('ok'))
      socket.renegotiate({ rejectUnauthorized: false }, (error) => {
        if (!error) renegotiations++
        socket.write(reply('ok'))
      })
    })
  })
  const tracked = await track(t, server, { scheme: 'https' })
  const result = await run({ url: tracked.url, connections: 2, maxConnectionRequests: 20, duration: 600 })
  addsUp(t, result)
  t.equal(renegotiations, 2)
  t.equal(result.accounting.completed, 40)
  t.strictSame(result.errorCodes, {})
  t.match(result.connectionStats, { opened: 2, peak: 2 })
  t.equal(result.connectTime.totalCount, 2)
})

t.test('a large body in many TLS records', async (t) => {
  const body = Buffer.alloc(3 * 1024 * 1024, 'x')
  const server = await tlsServer(t, (request, response) => response.end(body))
  const result = await run({ url: server.url, connections: 3, amount: 12, expectBody: body.toString() })
  addsUp(t, result)
  t.equal(result['2xx'], 12)
  t.equal(result.mismatches, 0)
  t.ok(result.bytes.read >= 12 * body.length)
})
