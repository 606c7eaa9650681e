'use strict'

// The code and the phase of each fault: programs match on them, and `docs/measurement.md` says what they mean.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { CODES, isDeadline } = require('../../lib/base/errors')
const faults = require('../../lib/base/faults')

const EXPECTED = {
  closedEarly: 'CANNONADE_CLOSED_BY_SERVER connect',
  closedByProxy: 'CANNONADE_CLOSED_BY_SERVER connect',
  proxyRefused: 'CANNONADE_PROXY_REFUSED connect',
  badProxyResponse: 'CANNONADE_BAD_RESPONSE connect',
  noHttp2Chosen: 'CANNONADE_NO_HTTP2 tls',
  noHttp2Allowed: 'CANNONADE_NO_HTTP2 tls',
  http1Response: 'CANNONADE_BAD_RESPONSE parse',
  webSocketRefused: 'CANNONADE_BAD_HANDSHAKE connect',
  namespaceRefused: 'CANNONADE_BAD_HANDSHAKE connect',
  disconnectedEarly: 'CANNONADE_BAD_HANDSHAKE connect',
  closedBeforeAccepted: 'CANNONADE_BAD_HANDSHAKE connect',
  badResponse: 'CANNONADE_BAD_RESPONSE parse',
  badHttp2: 'CANNONADE_BAD_RESPONSE parse',
  badFrame: 'CANNONADE_BAD_FRAME parse',
  bodyTooLong: 'CANNONADE_BODY_TOO_LONG receive',
  streamReset: 'CANNONADE_STREAM_RESET receive',
  responseTimeout: 'CANNONADE_RESPONSE_TIMEOUT timeout',
  closedByServer: 'CANNONADE_CLOSED_BY_SERVER receive',
  closedBeforeAllCalls: 'CANNONADE_CLOSED_BY_SERVER receive',
  truncated: 'CANNONADE_TRUNCATED_RESPONSE receive',
  goaway: 'CANNONADE_GOAWAY receive',
  lostBehind: 'CANNONADE_LOST_IN_PIPELINE receive',
  lostAhead: 'CANNONADE_LOST_IN_PIPELINE receive',
  sessionFailed: 'CANNONADE_SESSION_FAILED receive'
}

t.test('each fault has its code and its phase', async (t) => {
  const { fault, connectTimeout, lostWith, ...others } = faults
  const found = Object.entries(others).map(([name, made]) => {
    const { code, phase, message } = typeof made === 'function' ? made('one') : made
    t.match(message, /^[a-z].*[^.]$/, name)
    return [name, `${code} ${phase}`]
  })
  t.same(Object.fromEntries(found), EXPECTED)
  t.same(fault('CODE', 'send', 'why'), { code: 'CODE', phase: 'send', message: 'why' })
  // These happen in the phase that they are told.
  for (const phase of ['dns', 'connect', 'tls']) t.match(connectTimeout(phase, 1), { code: CODES.CONNECT_TIMEOUT, phase, message: 'no connection within 1 second' })
  for (const phase of ['send', 'receive', 'parse']) {
    t.match(lostWith(phase), { code: CODES.LOST_IN_PIPELINE, phase })
    t.match(faults.goaway('why', phase), { code: CODES.GOAWAY, phase, message: 'why' })
    t.match(faults.lostBehind('request', 'timed out', phase), { code: CODES.LOST_IN_PIPELINE, phase })
  }
})

t.test('deadlines are those of a connection, of a response and of the system', async (t) => {
  const all = [...Object.values(CODES), 'ETIMEDOUT', 'ECONNRESET', 'ECONNREFUSED']
  t.same(all.filter(isDeadline), ['CANNONADE_CONNECT_TIMEOUT', 'CANNONADE_RESPONSE_TIMEOUT', 'ETIMEDOUT'])
})

t.test('every code of a fault is documented', async (t) => {
  const documented = fs.readFileSync(path.join(__dirname, '../../docs/measurement.md'), 'utf8')
  const codes = [...new Set(Object.values(EXPECTED).map((each) => each.split(' ')[0]))]
  t.same(codes.filter((code) => !documented.includes(`\n| \`${code}\` |`)), [])
})
