'use strict'

// Closed sockets are reused. Nothing that one connection did with a socket, or received on it, may reach another connection.

const net = require('node:net')
const { Readable } = require('node:stream')
const t = require('tap')
const { partOf } = require('../../lib/engine/deal/part')
const Sockets = require('../../lib/transport/sockets')
const { run } = require('../..')
const world = require('../../lib/world')
const enterWorld = require('../../lib/world/enter')
const { violations } = require('../support/accounts')
const { httpServer } = require('../support/servers')
const { rawServer } = require('../support/raw-server')
const { track } = require('../support/tracked')

const CONNECTIONS = 3
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'

// Counts the sockets that are created, and those that are reused.
function counting (t) {
  const counted = { made: 0, again: 0 }
  t.teardown(enterWorld({
    connect: (options) => {
      counted.made++
      return world.REAL.connect(options)
    },
    reconnect: (socket, options) => {
      if (!socket.destroyed || !socket.closed) t.fail('it has not closed yet')
      counted.again++
      return world.REAL.reconnect(socket, options)
    }
  }))
  return counted
}

t.test('a few sockets serve many connections, by address, by name and with hooks', async (t) => {
  const counted = counting(t)
  const server = await httpServer(t)
  const { port } = new URL(server.url)
  for (const [how, options] of Object.entries({
    address: {},
    name: { url: `http://localhost:${port}` },
    hooks: { requests: [{ onResponse () {} }] },
    sessions: { amount: undefined, sessions: { amount: 60 } },
    'the client ends it': { keepAlive: true, reconnectRate: 1 }
  })) {
    Object.assign(counted, { made: 0, again: 0 })
    const before = server.requests
    const result = await run({ url: server.url, connections: CONNECTIONS, amount: 60, keepAlive: false, ...options })
    t.equal(result.accounting.completed, 60, how)
    t.equal(server.requests - before, 60, how)
    t.same(violations(result), [], how)
    t.equal(result.errors, 0, how)
    t.ok(counted.made <= 12, `${how}: ${counted.made} sockets made`)
    // A connection that was scheduled when the last response arrived was not opened anymore.
    const { opened } = result.connectionStats
    const tried = counted.made + counted.again
    t.ok(tried >= opened && tried <= opened + CONNECTIONS, `${how}: ${tried} tries, ${opened} opened`)
  }
})

t.test('also with a unix socket', { skip: process.platform === 'win32' }, async (t) => {
  const counted = counting(t)
  const server = net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(OK)))
  const path = `${t.testdir()}/socket`
  await track(t, server, { where: { path } })
  const result = await run({ socketPath: path, connections: 2, amount: 40, keepAlive: false })
  t.equal(result.accounting.completed, 40)
  t.ok(counted.again > 20)
})

t.test('an error on a connection affects only that one', async (t) => {
  const counted = counting(t)
  const moods = ['well', 'well', 'reset', 'well', 'cut', 'well', 'well', 'ended', 'well', 'late']
  const server = await rawServer(t, (socket, request, index) => {
    switch (moods[index % moods.length]) {
      case 'reset':
        socket.resetAndDestroy()
        break
      case 'cut':
        socket.end(OK.slice(0, -1))
        break
      case 'ended':
        socket.end()
        break
      case 'late':
        // After the response come unsolicited bytes, and then the end.
        socket.write(OK)
        setImmediate(() => socket.end('HTTP/1.1 500 Nobody\r\n\r\n'))
        break
      default:
        socket.end(OK)
    }
  })
  const result = await run({ url: server.url, connections: 1, amount: 100, keepAlive: false })
  t.same(violations(result), [])
  t.match(result.accounting, { sent: 100, completed: 70, failed: 30 })
  t.equal(result.statusCodeStats['200'].count, 70)
  const counts = Object.fromEntries(Object.entries(result.errorCodes).map(([code, { count }]) => [code, count]))
  // A system may report a reset as an end.
  const { ECONNRESET = 0, ...ends } = counts
  t.same(ends, { CANNONADE_TRUNCATED_RESPONSE: 10, CANNONADE_CLOSED_BY_SERVER: 20 - ECONNRESET })
  t.ok(ends.CANNONADE_CLOSED_BY_SERVER >= 10)
  t.ok(counted.again >= 40, `${counted.again} used again`)
})

t.test('connections use the local addresses in turn', { skip: process.platform !== 'linux' && 'only Linux has all of 127.0.0.0/8' }, async (t) => {
  for (const options of [{}, { workers: 2 }, { keepAlive: true, sessions: { amount: 12 }, amount: undefined }]) {
    const counts = {}
    const server = await httpServer(t)
    server.server.on('connection', ({ remoteAddress }) => { counts[remoteAddress] = (counts[remoteAddress] ?? 0) + 1 })
    const result = await run({ url: server.url, connections: 2, amount: 12, keepAlive: false, localAddress: '127.0.0.2, 127.0.0.3', ...options })
    t.equal(result.accounting.completed, 12)
    t.same(Object.keys(counts).sort(), ['127.0.0.2', '127.0.0.3'])
    t.ok(Math.abs(counts['127.0.0.2'] - counts['127.0.0.3']) <= 2, JSON.stringify(counts))
  }
  const result = await run({ url: 'http://localhost:1', connections: 1, duration: 20, bailout: 1, localAddress: '192.0.2.1' })
  t.ok(result.warnings.some(({ code }) => code === 'NO_LOCAL_ADDRESS'), JSON.stringify(result.errorCodes))
})

t.test('a local address without a route is an error', async (t) => {
  await t.rejects(run({ url: 'http://[::1]:1', localAddress: '127.0.0.1' }), { message: /::1 \(IPv6\) cannot be reached from 127\.0\.0\.1 \(IPv4\)/ })
  const proxied = { url: 'http://127.0.0.1:1', proxy: 'http://[::1]:1', duration: 1, bailout: 1 }
  await t.rejects(run({ ...proxied, localAddress: '127.0.0.1' }), { message: /::1 \(IPv6\) cannot be reached from 127\.0\.0\.1/ })
  await t.resolves(run({ ...proxied, localAddress: '::1' }), 'only the proxy must be reached')
  await t.rejects(run({ socketPath: '/tmp/no.sock', localAddress: '127.0.0.1' }), { message: /socketPath/ })
})

t.test('a socket that somebody may still write to is not reused', async (t) => {
  const counted = counting(t)
  const server = await httpServer(t)
  const body = () => Readable.from(['a', 'b'])
  const result = await run({ url: server.url, connections: 2, amount: 20, keepAlive: false, method: 'POST', body })
  t.equal(result.accounting.completed, 20)
  t.equal(counted.again, 0)
  const sockets = new Sockets({ localAddress: null })
  const kept = [[0, 0], [1, 0], [0, 1]].filter(([writableLength, writableCorked]) => {
    sockets.keep({ writableLength, writableCorked })
    return sockets.spare.splice(0).length > 0
  })
  t.same(kept, [[0, 0]])
})

t.test('the threads begin with different local addresses', (t) => {
  const plan = { socketPath: undefined, localAddress: ['127.0.0.1', '::1', '127.0.0.3'] }
  const target = { hostname: 'server.test', port: 80 }
  const waysOf = (share) => {
    const sockets = new Sockets(plan, { share, of: 4 })
    return Array.from({ length: 4 }, () => sockets.nextWay(target))
  }
  const [one, two, three] = [['127.0.0.1', 4], ['::1', 6], ['127.0.0.3', 4]].map(([localAddress, family]) => ({ host: 'server.test', port: 80, localAddress, family }))
  t.strictSame([0, 1, 2, 3].map(waysOf), [[one, two, three, one], [two, three, one, two], [three, one, two, three], [one, two, three, one]])
  t.end()
})

t.test('the connections of all threads have different numbers', (t) => {
  const whole = { share: 0, of: 1 }
  // Two machines, the second with three threads.
  const parts = [partOf(whole, 0, 2), ...[0, 1, 2].map((thread) => partOf(partOf(whole, 1, 2), thread, 3))]
  const numbers = parts.flatMap((part) => {
    const sockets = new Sockets({}, part)
    return Array.from({ length: 50 }, () => sockets.takeNumber())
  })
  t.equal(new Set(numbers).size, 200)
  const alone = new Sockets({})
  t.same([alone.takeNumber(), alone.takeNumber(), alone.takeNumber()], [1, 2, 3])
  t.end()
})
