'use strict'

const t = require('tap')
const { benchmark } = require('../../engine/closed-model/benchmark')
const { rawServer, httpServer, reply, writeInPieces } = require('../../support/servers')
const { sleep, until } = require('../../support/wait')

t.test('responses with bodies that last until the close are complete', async (t) => {
  const server = await rawServer(t, (socket) => socket.end(reply('no length', { length: null })))
  const result = await benchmark(t, { url: server.url, amount: 100, connections: 4, expectBody: 'no length' })
  t.match(result.accounting, { sent: 100, completed: 100, failed: 0 })
  t.equal(result.mismatches, 0)
  t.equal(server.requests, 100)
  t.match(result.connectionStats, { opened: server.connections, closedByServer: 100 })
})

t.test('a body cut short is not complete, and does not affect later responses', async (t) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 10 === 0) socket.end(reply('x'.repeat(100), { length: 200 }))
    else socket.write(reply('whole'))
  })
  const result = await benchmark(t, { url: server.url, amount: 100, connections: 2 })
  t.match(result.accounting, { sent: 100, completed: 90, failed: 10 })
  t.match(result.errorCodes, { CANNONADE_TRUNCATED_RESPONSE: { count: 10, phase: 'receive' } })
  t.equal(server.requests, 100)
})

t.test('responses to HEAD have no body, whatever their header says', async (t) => {
  const server = await httpServer(t, (request, response) => {
    response.setHeader('Content-Length', 5000)
    response.end()
  })
  for (const pipelining of [1, 5]) {
    const result = await benchmark(t, { url: server.url, method: 'HEAD', amount: 100, connections: 2, pipelining, timeout: 60 })
    t.match(result.accounting, { completed: 100, failed: 0, timedOut: 0 })
    t.strictSame(result.statusCodeStats, { 200: { count: 100 } })
  }
  t.equal(server.requests, 200)
})

t.test('204 and 304 have no body, and a GET after a HEAD has one', async (t) => {
  const server = await rawServer(t, (socket, { method, path }) => {
    if (path === '/204') socket.write(reply('', { status: 204, length: 10 }))
    else if (path === '/304') socket.write(reply('', { status: 304, length: 10 }))
    else socket.write(reply(method === 'HEAD' ? '' : 'body', { length: 4 }))
  })
  const requests = [{ path: '/204' }, { path: '/304' }, { path: '/', method: 'HEAD' }, { path: '/' }]
  const { accounting, statusCodeStats, endpoints } = await benchmark(t, { url: server.url, requests, amount: 80, connections: 1, pipelining: 3 })
  t.match(accounting, { completed: 80, failed: 0 })
  t.strictSame(statusCodeStats, { 200: { count: 40 }, 204: { count: 20 }, 304: { count: 20 } })
  t.same(endpoints.map(({ completed }) => completed), [20, 20, 20, 20])
})

t.test("informational responses precede the final one and don't count as responses", async (t) => {
  const server = await rawServer(t, async (socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n')
    await sleep(20)
    if (!socket.destroyed) socket.write(reply())
  })
  const result = await benchmark(t, { url: server.url, connections: 2, amount: 20 })
  t.match(result, { '1xx': 20, '2xx': 20, accounting: { sent: 20, completed: 20 } })
  t.equal(server.requests, 20)
  t.ok(result.latency.min >= 18, `latency.min ${result.latency.min}`)
  t.ok(result.timeToFirstByte.min <= result.latency.min)
})

t.test('the parts of a response and their times, with threads', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const server = await rawServer(t, async (socket) => {
    socket.write(head)
    await sleep(30)
    if (!socket.destroyed) socket.write('4\r\nbody\r\n0\r\nX-Trailer: 1\r\n\r\n')
  })
  const { replySize, replyRate, timeToStatusLine, transferTime, serviceTime, connectionStats, duration, drain, accounting } = await benchmark(t, { url: server.url, connections: 4, amount: 12, workers: 2 })
  t.equal(accounting.completed, 12)
  t.same(replySize, { head: head.length, content: 4, footer: 16 })
  t.equal(transferTime.totalCount, 12)
  // Node's timers may fire a millisecond early; and if this machine stalled, a head is read late.
  t.ok(serviceTime.min >= 28 && transferTime.max >= 20, `service ${serviceTime.min}, transfer ${transferTime.max}`)
  t.ok(Math.abs(timeToStatusLine.total + transferTime.total - serviceTime.total) < 0.012 + 1e-6)
  t.match(connectionStats, { opened: 4, withReplies: 4, lifetime: { totalCount: 4 } })
  t.ok(connectionStats.lifetime.min >= 3 * 28)
  t.equal(replyRate.samples.length, Math.floor((duration + drain.seconds) / 5))
})

t.test('several informational responses, pipelined, split at any byte', async (t) => {
  const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const queue = new WeakMap()
  const server = await rawServer(t, (socket) => {
    const before = queue.get(socket) ?? Promise.resolve()
    queue.set(socket, before.then(() => writeInPieces(socket, Buffer.concat([Buffer.from(early), reply()]), { size: 30 })))
  })
  const result = await benchmark(t, { url: server.url, amount: 30, connections: 3, pipelining: 3 })
  t.match(result.accounting, { sent: 30, completed: 30, failed: 0 })
  t.equal(result['1xx'], 60)
  t.equal(server.requests, 30)
})

t.test('a character split across two packets is reassembled', async (t) => {
  const bytes = reply('€')
  const queue = new WeakMap()
  const server = await rawServer(t, (socket) => {
    const before = queue.get(socket) ?? Promise.resolve()
    queue.set(socket, before.then(() => writeInPieces(socket, bytes, { size: bytes.length - 1, pauseMs: 2 })))
  })
  const seen = new Set()
  const result = await benchmark(t, {
    url: server.url,
    amount: 60,
    connections: 3,
    expectBody: '€',
    requests: [{ onResponse: (status, body) => seen.add(body) }]
  })
  t.equal(result.accounting.completed, 60)
  t.equal(result.mismatches, 0)
  t.same([...seen], ['€'])
})

t.test('a head split in two before a large body', async (t) => {
  const bytes = reply(Buffer.alloc(300_000, 'x'))
  const server = await rawServer(t, async (socket) => {
    socket.write(bytes.subarray(0, 20))
    await sleep(5)
    if (!socket.destroyed) socket.write(bytes.subarray(20))
  })
  const { accounting, bytes: { read } } = await benchmark(t, { url: server.url, amount: 20, connections: 2 })
  t.match(accounting, { completed: 20, failed: 0 })
  t.equal(read, 20 * bytes.length)
})

t.test('unexpected bodies are counted, and the request is still complete', async (t) => {
  const server = await httpServer(t, (request, response, index) => response.end(index % 4 === 0 ? 'bad' : 'good'))
  const bodies = []
  const result = await benchmark(t, { url: server.url, amount: 40, connections: 4, expectBody: 'good' },
    (instance) => instance.on('reqMismatch', (body) => bodies.push(body)))
  t.match(result, { mismatches: 10, accounting: { completed: 40 }, errors: 0 })
  t.same(bodies, new Array(10).fill('bad'))
})

t.test('an unsolicited response is not a completed request', async (t) => {
  const server = await rawServer(t, (socket) => socket.write(Buffer.concat([reply('asked'), reply('not asked')])))
  const { accounting, errorCodes } = await benchmark(t, { url: server.url, amount: 20, connections: 2 })
  t.match(accounting, { sent: 20, completed: 20, failed: 0 })
  t.equal(server.requests, 20)
  t.match(errorCodes, { CANNONADE_BAD_RESPONSE: { count: 20, phase: 'parse' } })
})

t.test('garbage is a failure of each request that it replaced the response of', async (t) => {
  const server = await rawServer(t, (socket, request, index) => socket.write(index % 5 === 0 ? '\x00\x01garbage\r\n\r\n' : reply()))
  const { accounting, errorCodes } = await benchmark(t, { url: server.url, amount: 100, connections: 2 })
  t.match(accounting, { sent: 100, completed: 80, failed: 20 })
  t.match(errorCodes, { CANNONADE_BAD_RESPONSE: { count: 20, phase: 'parse', phases: { parse: 20 } } })
  await until(() => server.openConnections === 0)
  t.equal(server.requests, 100)
})
