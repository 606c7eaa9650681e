'use strict'

const tls = require('node:tls')
const t = require('tap')
const { run } = require('../../..')
const { violations } = require('../../support/accounts')
const { certificates } = require('../../support/http-server')
const { tlsServer } = require('../../support/servers')
const { track } = require('../../support/tracked')

t.test('impossible options give one sentence, before anything is sent', async (t) => {
  const wrong = {
    'no boolean': [{ http2: 'h2' }, /^http2 must be true or false/],
    'a proxy, and a server in the clear': [{ http2: true, proxy: 'http://localhost:3128' }, /^http2 and proxy cannot be given together/],
    'another scheme': [{ http2: true, url: 'ws://localhost:1' }, /^http2 cannot be given with a ws:/]
  }
  for (const [what, [opts, message]] of Object.entries(wrong)) {
    await t.rejects(run({ url: 'http://localhost:1', ...opts }), { code: 'CANNONADE_BAD_OPTION', message }, what)
  }
})

t.test('a server without HTTP/2 has refused the connection; there is no fallback', async (t) => {
  const { serverKey: key, serverCert: cert } = certificates
  const servers = {
    'it ends the handshake': await tlsServer(t),
    'it knows no ALPN': await track(t, tls.createServer({ key, cert }, (socket) => socket.on('error', () => {})), { scheme: 'https' })
  }
  for (const [what, server] of Object.entries(servers)) {
    const result = await run({ url: server.url, http2: true, connections: 1, duration: 60, bailout: 1 })
    t.strictSame(violations(result), [], what)
    t.match(result.errorCodes, { CANNONADE_NO_HTTP2: { phase: 'tls', message: /does not speak HTTP\/2.*h2/ } }, what)
    t.strictSame(Object.keys(result.errorCodes), ['CANNONADE_NO_HTTP2'], what)
    t.equal(result.accounting.sent, 0, what)
  }
})
