'use strict'

const t = require('tap')
const { createPlan } = require('../../../lib/plan')
const Recorder = require('../../../lib/metrics/recorder')
const { RoundRobin } = require('../../../lib/load/request-order')
const Connection = require('../../../lib/protocol/http1/connection')
const HeadMemo = require('../../../lib/protocol/http1/head-memo')
const RequestTrain = require('../../../lib/protocol/shared/request-train')
const { encodeRequest } = require('../../../lib/protocol/http1/request')
const { closedPort, rawServer, reply, silentServer, tlsServer } = require('../../support/servers')
const { sleep, until } = require('../../support/wait')

/** Owns one connection, and records everything it reports. It sends only when the test says so. */
class Owner {
  constructor (opts) {
    const { plan } = createPlan({ timeout: 60, ...opts })
    this.plan = plan
    this.recorder = new Recorder({ endpoints: plan.requests.length, open: false, timeout: 5000 })
    this.memos = plan.requests.map(() => new HeadMemo())
    this.isOpenModel = false
    this.watchesResponses = false
    this.told = []
    const requests = plan.requests.map((request) => encodeRequest(request, plan.targets[0]))
    this.connection = new Connection(plan, 0, plan.targets[0], new RequestTrain(requests, [...requests.keys()]))
    this.connection.owner = this
    this.connection.order = new RoundRobin(requests.length)
  }

  ready () { this.told.push('ready') }
  closed (connection, wasOpen) {
    this.told.push(wasOpen ? 'closed' : 'not opened')
    this.onClosed?.()
  }

  unwritten (connection, dueAt) { this.told.push(`unwritten ${dueAt}`) }
  requestFailed (endpoint, dueAt, sentAt, now, fault) {
    this.recorder.failedRequest(endpoint, dueAt, sentAt, now, fault)
    this.told.push(`failed ${fault.code} ${fault.phase}`)
  }

  requestTimedOut (endpoint, dueAt, sentAt) {
    this.recorder.timedOutRequest(endpoint, dueAt, sentAt, { code: 'TIMEOUT', phase: 'timeout', message: '' })
    this.told.push('timed out')
  }

  connectionFailed ({ code, phase }) { this.told.push(`connection failed ${code} ${phase}`) }
  connectionBroken ({ code, phase }) { this.told.push(`connection broken ${code} ${phase}`) }

  send (count) {
    const now = performance.now()
    for (let sent = 0; sent < count; sent++) this.connection.send(now)
    this.connection.flush()
  }

  // Everything reported since the last call.
  take () {
    return this.told.splice(0)
  }
}

async function opened (t, url, opts) {
  const owner = new Owner({ url, ...opts })
  t.teardown(() => owner.connection.abandon(performance.now()))
  owner.connection.open()
  await until(() => owner.connection.isOpen)
  t.strictSame(owner.take(), ['ready'])
  return owner
}

const SOCKET_EVENTS = ['lookup', 'connect', 'end', 'error', 'close']

function emitAll (socket) {
  for (const event of SOCKET_EVENTS) socket.emit(event, event === 'error' ? new Error('late') : null)
}

t.test('after its end a connection ignores events of its socket', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = await opened(t, server.url, { pipelining: 2 })
  owner.send(2)
  const { socket } = owner.connection
  socket.emit('end')
  t.strictSame(owner.take(), ['failed CANNONADE_CLOSED_BY_SERVER receive', 'failed CANNONADE_LOST_IN_PIPELINE receive', 'closed'])
  emitAll(socket)
  await sleep(20)
  t.strictSame(owner.take(), [])
  t.match(owner.recorder, { sent: 2, failed: 2, opened: 1, closedByServer: 1, closedByClient: 0, connections: 0 })
})

t.test('an error, whatever events of the socket follow', async (t) => {
  const server = await rawServer(t, () => {})
  for (const [syscall, phase] of [['read', 'receive'], ['write', 'send']]) {
    const owner = await opened(t, server.url)
    owner.send(1)
    const { socket } = owner.connection
    socket.emit('error', Object.assign(new Error('broken'), { code: 'EPIPE', syscall }))
    t.strictSame(owner.take(), [`failed EPIPE ${phase}`, 'closed'])
    emitAll(socket)
    t.strictSame(owner.take(), [])
  }
})

t.test('an error while nothing is in flight is reported, and no request is lost', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = await opened(t, server.url)
  owner.connection.socket.emit('error', Object.assign(new Error('broken'), { code: 'ECONNRESET' }))
  t.strictSame(owner.take(), ['connection broken ECONNRESET receive', 'closed'])
})

t.test('an error without a code', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = await opened(t, server.url)
  owner.send(1)
  owner.connection.socket.emit('error', new Error('strange'))
  t.strictSame(owner.take(), ['failed ERR_SOCKET receive', 'closed'])
})

t.test('a close without an end', async (t) => {
  const server = await rawServer(t, (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nuntil close'))
  const owner = await opened(t, server.url)
  owner.send(1)
  await until(() => owner.recorder.bytesRead > 20)
  owner.take()
  owner.connection.socket.emit('close')
  t.strictSame(owner.take(), ['failed CANNONADE_CLOSED_BY_SERVER receive', 'closed'], 'is not the end of the body')
})

t.test('a close while connecting', async (t) => {
  const { url } = await closedPort(t)
  const owner = new Owner({ url })
  owner.connection.open()
  owner.connection.socket.emit('close')
  t.strictSame(owner.take(), ['connection failed CANNONADE_CLOSED_BY_SERVER connect', 'not opened'])
  await sleep(20)
  t.strictSame(owner.take(), [], 'the refusal arrives too late')
})

t.test('a connection that has expired stays closed', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = new Owner({ url: server.url })
  owner.connection.open()
  const { socket } = owner.connection
  owner.connection.expire()
  t.strictSame(owner.take(), ['connection failed CANNONADE_CONNECT_TIMEOUT connect', 'not opened'])
  socket.emit('connect')
  await sleep(20)
  t.strictSame(owner.take(), [])
  t.match(owner.recorder, { opened: 0, connections: 0 })
})

t.test('the phase of a connection when it expires', async (t) => {
  const silent = await silentServer(t)
  const phaseOf = async (url, isThere) => {
    const owner = new Owner({ url })
    owner.connection.open()
    await until(() => isThere(owner.connection))
    owner.connection.expire()
    return owner.take()[0]
  }
  t.equal(await phaseOf('http://localhost:1', () => true), 'connection failed CANNONADE_CONNECT_TIMEOUT dns')
  t.equal(await phaseOf('http://127.0.0.1:1', () => true), 'connection failed CANNONADE_CONNECT_TIMEOUT connect')
  t.equal(await phaseOf('http://[::1]:1', () => true), 'connection failed CANNONADE_CONNECT_TIMEOUT connect')
  t.equal(await phaseOf(`https://127.0.0.1:${silent.port}`, ({ handshake }) => handshake.connectedAt > 0), 'connection failed CANNONADE_CONNECT_TIMEOUT tls')
})

t.test('a second secureConnect is not a second connection', async (t) => {
  const server = await tlsServer(t)
  const owner = await opened(t, server.url)
  owner.connection.socket.emit('secureConnect')
  t.strictSame(owner.take(), [])
  t.match(owner.recorder, { opened: 1, connections: 1 })
})

t.test('reopened from the callback that reports its end', async (t) => {
  const server = await rawServer(t, (socket, { connection, indexOnConnection }) => {
    if (connection % 2 === 1) socket.write(reply(`${connection} ${indexOnConnection}`))
    // A valid response, an unsolicited one, and the beginning of another: the rest of the packet must be ignored.
    else socket.write(Buffer.concat([reply('one'), reply('two'), reply('three').subarray(0, 20)]))
  })
  const owner = await opened(t, server.url)
  owner.onClosed = () => owner.connection.open()
  owner.send(1)
  await until(() => server.connections === 2 && owner.connection.isOpen)
  t.strictSame(owner.take(), ['connection broken CANNONADE_BAD_RESPONSE parse', 'closed', 'ready'])
  owner.send(1)
  await until(() => owner.recorder.completed === 2)
  owner.send(1)
  await until(() => owner.recorder.completed === 3)
  t.match(owner.recorder, { sent: 3, completed: 3, failed: 0, opened: 2 })
  owner.onClosed = null
})

t.test('reopened from the callback that reports an end in the middle of a response', async (t) => {
  const server = await rawServer(t, (socket, { connection }) => {
    if (connection === 0) socket.end(reply('cut short', { length: 100 }))
    else socket.write(reply('whole', { status: 201 }))
  })
  const owner = await opened(t, server.url)
  owner.onClosed = () => owner.connection.open()
  owner.send(1)
  await until(() => server.connections === 2 && owner.connection.isOpen)
  owner.send(1)
  await until(() => owner.recorder.completed === 1)
  t.equal(owner.recorder.endpoints[0].statuses[201], 1)
  t.match(owner.recorder, { sent: 2, completed: 1, failed: 1 })
  owner.onClosed = null
})

t.test('requests that were not written are returned, the last first', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = await opened(t, server.url, { pipelining: 4 })
  owner.send(1)
  owner.connection.send(1)
  owner.connection.send(2)
  owner.connection.send(3)
  t.equal(owner.connection.room, 0)
  owner.connection.socket.emit('end')
  t.strictSame(owner.take(), ['failed CANNONADE_CLOSED_BY_SERVER receive', 'unwritten 3', 'unwritten 2', 'unwritten 1', 'closed'])
  t.equal(owner.recorder.sent, 1)
})

t.test('abandoned: requests in flight are unfinished', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = await opened(t, server.url, { pipelining: 4 })
  owner.send(3)
  const { socket } = owner.connection
  owner.connection.abandon(performance.now())
  t.strictSame(owner.take(), ['closed'])
  t.match(owner.recorder, { sent: 3, unfinished: 3, closedByClient: 1 })
  t.ok(socket.destroyed)
  owner.connection.abandon(performance.now())
  t.strictSame(owner.take(), [], 'once')
})

t.test('expired: the oldest times out, those behind it are lost', async (t) => {
  const server = await rawServer(t, () => {})
  const owner = await opened(t, server.url, { pipelining: 3 })
  owner.send(3)
  owner.connection.expire()
  t.strictSame(owner.take(), ['timed out', 'failed CANNONADE_LOST_IN_PIPELINE receive', 'failed CANNONADE_LOST_IN_PIPELINE receive', 'closed'])
})

t.test('room for further requests', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')))
  const owner = new Owner({ url: server.url, pipelining: 4, reconnectRate: 6 })
  t.equal(owner.connection.room, 0, 'none before it is open')
  owner.connection.open()
  t.equal(owner.connection.room, 0, 'nor while it is opening')
  await until(() => owner.connection.isOpen)
  t.equal(owner.connection.room, 4)
  owner.connection.send(0)
  t.equal(owner.connection.room, 3)
  owner.connection.flush()
  t.equal(owner.connection.room, 3)
  await until(() => owner.recorder.completed === 1)
  t.equal(owner.connection.room, 4)
  owner.send(4)
  await until(() => owner.recorder.completed === 5)
  t.equal(owner.connection.room, 1, 'as far as reconnectRate permits')
  owner.send(1)
  t.equal(owner.connection.room, 0)
  await until(() => owner.told.includes('closed'))
  t.match(owner.recorder, { completed: 6, closedByClient: 1 })
})

t.test('the ring of requests in flight wraps around', async (t) => {
  const server = await rawServer(t, (socket, { path }) => socket.write(reply('ok', { status: 200 + Number(path.slice(1)) })))
  const requests = [{ path: '/0' }, { path: '/1' }, { path: '/2' }, { path: '/3' }, { path: '/7' }]
  const owner = await opened(t, server.url, { pipelining: 3, requests })
  let sent = 0
  for (const count of [1, 2, 3, 3, 1, 3, 2, 2, 3, 1, 3, 3, 3]) {
    owner.send(count)
    sent += count
    await until(() => owner.recorder.completed === sent)
  }
  for (const [index, { completed, statuses }] of owner.recorder.endpoints.entries()) {
    t.equal(completed, 6)
    t.equal(statuses[[200, 201, 202, 203, 207][index]], 6)
  }
})
