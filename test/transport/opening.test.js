'use strict'

// A protocol that negotiates with the server before its first request. The transport only knows that this happens: under the same deadline,
// as a phase of its own.

const net = require('node:net')
const { performance } = require('node:perf_hooks')
const tls = require('node:tls')
const t = require('tap')
const { createPlan } = require('../../lib/plan')
const Http1Connection = require('../../lib/protocol/http1/connection')
const Recorder = require('../../lib/metrics/recorder')
const { RECEIVE_BUFFER } = require('../../lib/transport/connect')
const { certificates } = require('../support/servers')
const { track } = require('../support/tracked')
const { until } = require('../support/wait')

/** Sends `hello` when it has connected, and is open when it has received `welcome`. */
class PoliteConnection extends Http1Connection {
  get protocols () {
    return ['polite/1']
  }

  reached () {
    this.heard = ''
    this.socket.write('hello')
  }

  receivedOpening (length) {
    this.heard += RECEIVE_BUFFER.toString('latin1', 0, length)
    if (this.heard === 'welcome') this.connected(performance.now())
    return true
  }
}

function opening (t, url) {
  const { plan } = createPlan({ url, timeout: 60 })
  const told = []
  const owner = {
    plan,
    told,
    recorder: new Recorder({ endpoints: 1, open: false, timeout: 5000 }),
    ready: () => told.push('ready'),
    closed: (connection, wasOpen) => told.push(wasOpen ? 'closed' : 'not opened'),
    connectionFailed: ({ code, phase }) => told.push(`${code} ${phase}`)
  }
  const connection = new PoliteConnection(plan, 0, plan.targets[0], {})
  connection.owner = owner
  t.teardown(() => connection.isInUse && connection.abandon(performance.now()))
  connection.open()
  return { connection, owner, told }
}

const CREATE = {
  TCP: (t) => track(t, net.createServer(), { scheme: 'http' }),
  TLS: (t) => {
    const { serverKey: key, serverCert: cert } = certificates
    return track(t, tls.createServer({ key, cert, ALPNProtocols: ['polite/1'] }), { scheme: 'https' })
  }
}

/** A server, and the sockets that sent hello. */
async function politeServer (t, kind = 'TCP') {
  const server = await CREATE[kind](t)
  const meeting = new Promise((resolve) => {
    server.server.on(kind === 'TCP' ? 'connection' : 'secureConnection', (socket) => {
      socket.on('error', () => {}).once('data', () => resolve(socket))
    })
  })
  return { url: server.url, meeting }
}

for (const kind of Object.keys(CREATE)) {
  t.test(`a connection is usable after its protocol's handshake: ${kind}`, async (t) => {
    const { url, meeting } = await politeServer(t, kind)
    const { connection, told } = opening(t, url)
    const peer = await meeting
    if (kind === 'TLS') t.equal(connection.socket.alpnProtocol, 'polite/1')
    t.equal(connection.isOpen, false)
    t.equal(connection.handshake.phase, 'connect')
    t.same(told, [])
    const { startedAt, reachedAt } = connection.handshake
    peer.write('welcome')
    await until(() => connection.isOpen)
    t.same(told, ['ready'])
    t.ok(startedAt < reachedAt && reachedAt < connection.freeSince)
  })
}

t.test('a second handshake of TLS, before the one of the protocol is complete, does not begin the latter again', async (t) => {
  const { url, meeting } = await politeServer(t, 'TLS')
  const { connection, told } = opening(t, url)
  const peer = await meeting
  const { handshake, socket } = connection
  const { reachedAt } = handshake
  connection.reached = () => t.fail('it says hello again')
  // As Node.js does after a renegotiation, which TLS 1.2 has.
  socket.emit('secureConnect')
  t.equal(handshake.reachedAt, reachedAt)
  peer.write('welcome')
  await until(() => connection.isOpen)
  socket.emit('secureConnect')
  t.same(told, ['ready'])
})

const ENDINGS = {
  'the server closes': [(peer) => peer.end(), /^CANNONADE_CLOSED_BY_SERVER connect$/],
  // A system may report a reset as an end.
  'the server resets': [(peer) => peer.resetAndDestroy(), /^(ECONNRESET|CANNONADE_CLOSED_BY_SERVER) connect$/],
  'the time is over': [(peer, connection) => connection.expire(), /^CANNONADE_CONNECT_TIMEOUT connect$/]
}

for (const [name, [end, expected]] of Object.entries(ENDINGS)) {
  t.test(`a connection whose handshake fails has failed: ${name}`, async (t) => {
    const { url, meeting } = await politeServer(t)
    const { connection, told } = opening(t, url)
    end(await meeting, connection)
    await until(() => told.length > 0)
    t.match(told, [expected, 'not opened'])
    t.equal(told.length, 2)
    t.equal(connection.failuresInRow, 1)
  })
}
