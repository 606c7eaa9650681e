'use strict'

const t = require('tap')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { addsUp } = require('../../support/accounts')
const { chunkedReply, httpServer, rawServer, reply, writeInPieces } = require('../../support/servers')

const MEBIBYTE = 1024 * 1024

// Writes the same chunk repeatedly, no faster than it is read, and calls back.
function writeMany (socket, piece, times, then) {
  while (times > 0 && !socket.destroyed) {
    times--
    if (!socket.write(piece)) return socket.once('drain', () => writeMany(socket, piece, times, then))
  }
  if (!socket.destroyed) then()
}

t.test('large responses are counted, not kept', async (t) => {
  const piece = Buffer.alloc(MEBIBYTE, 'x')
  const server = await rawServer(t, (socket, { indexOnConnection }) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${200 * MEBIBYTE}\r\n\r\n`)
    writeMany(socket, piece, 200, () => {})
  })
  const before = process.memoryUsage()
  let peak = 0
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().arrayBuffers) }, 5)
  const result = await run({ url: server.url, connections: 2, amount: 2, timeout: 60 })
  clearInterval(timer)
  addsUp(t, result)
  t.equal(result.accounting.completed, 2)
  t.ok(result.bytes.read > 400 * MEBIBYTE)
  t.ok(peak - before.arrayBuffers < 100 * MEBIBYTE, `${peak - before.arrayBuffers} bytes more`)
})

t.test('a body too large to be kept for a hook is an error, and does not exhaust memory', async (t) => {
  const piece = Buffer.alloc(MEBIBYTE, 'x')
  const server = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    writeMany(socket, piece, 1000, () => socket.end())
  })
  const result = await run({ url: server.url, connections: 1, amount: 1, timeout: 60, verifyBody: () => true })
  addsUp(t, result)
  t.match(result.errorCodes, { CANNONADE_BODY_TOO_LONG: { count: 1, phase: 'receive', message: /^the body of the response is longer than the \d+ bytes kept for hooks/ } })
  t.ok(result.bytes.read < 200 * MEBIBYTE)
})

t.test('a body in chunks of one byte uses only the memory of its bytes', async (t) => {
  const CHUNKS = 1000000
  const answer = Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'), Buffer.alloc(6 * CHUNKS, '1\r\nx\r\n'), Buffer.from('0\r\n\r\n')
  ])
  const server = await rawServer(t, (socket) => socket.write(answer))
  let length = 0
  let peak = 0
  const before = process.memoryUsage().heapUsed
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 1,
    timeout: 60,
    requests: [{
      onResponse (status, body) {
        peak = process.memoryUsage().heapUsed - before
        length = body.length
      }
    }]
  })
  addsUp(t, result)
  t.equal(length, CHUNKS)
  t.ok(peak < 40 * MEBIBYTE, `${peak} bytes more`)
})

t.test('a body is the same text however it is split', async (t) => {
  const text = 'ä€😀'.repeat(5)
  for (const answer of [reply(text), reply(text, { length: null, headers: { Connection: 'close' } }), chunkedReply([...Buffer.from(text)].map((byte) => Buffer.of(byte)))]) {
    for (const size of [1, 2, 7]) {
      const server = await rawServer(t, async (socket) => {
        await writeInPieces(socket, answer, { size })
        if (answer.includes('close')) socket.end()
      })
      const seen = []
      const result = await run({ url: server.url, connections: 2, amount: 2, timeout: 100, expectBody: text, requests: [{ onResponse: (status, body) => seen.push(body) }] })
      addsUp(t, result)
      t.equal(result.mismatches, 0)
      t.strictSame(seen, [text, text])
    }
  }
})

t.test('endless headers are an error', async (t) => {
  const server = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    writeMany(socket, 'X-Filler: x\r\n'.repeat(1000), 10000, () => {})
  })
  const result = await run({ url: server.url, connections: 2, amount: 4, timeout: 60 })
  addsUp(t, result)
  t.match(result.errorCodes, { CANNONADE_BAD_RESPONSE: { count: 4, phase: 'parse', message: /longer than 65536 bytes/ } })
})

t.test('endless interim responses end with the timeout', async (t) => {
  const answer = ({ peer }) => {
    for (let ms = 5; ms < 1000; ms += 5) peer.scheduler.add(peer.scheduler.time + ms * 1000, () => peer.transmit(Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n')))
    return 'silence'
  }
  const { result } = await playInWorld(t, { answer }, { connections: 1, amount: 2, timeout: 0.6 })
  t.match(result.accounting, { timedOut: 2 })
  t.equal(result.latencyWithUnfinished.max, 600)
  t.ok(result['1xx'] >= 2 * 118, `${result['1xx']} responses`)
})

// --- requests

t.test('a large body arrives unchanged', async (t) => {
  const body = Buffer.alloc(2 * MEBIBYTE, 'abcdefg')
  const server = await rawServer(t, (socket, request) => socket.write(reply(request.body.equals(body) ? 'right' : 'wrong')))
  for (const pipelining of [1, 3]) {
    for (const given of [body, body.toString()]) {
      const result = await run({ url: server.url, method: 'POST', body: given, connections: 2, pipelining, amount: 6, expectBody: 'right', timeout: 60 })
      addsUp(t, result)
      t.equal(result['2xx'], 6)
      t.equal(result.mismatches, 0)
      t.ok(result.bytes.written > 6 * body.length)
    }
  }
})

t.test('a server that rejects a large body before it has arrived completely', async (t) => {
  const server = await httpServer(t, (request, response) => {
    response.writeHead(413, { Connection: 'close' })
    response.end('too large')
    request.resume()
  })
  const result = await run({ url: server.url, method: 'PUT', body: Buffer.alloc(8 * MEBIBYTE), connections: 2, amount: 6, timeout: 30 })
  addsUp(t, result)
  const { completed, failed } = result.accounting
  t.equal(completed + failed, 6)
  t.equal(result['4xx'], completed)
  // Whether a response is lost with what the server doesn't read anymore depends on the system.
  const codes = Object.keys(result.errorCodes)
  t.ok(codes.every((code) => ['EPIPE', 'ECONNRESET', 'CANNONADE_CLOSED_BY_SERVER', 'CANNONADE_TRUNCATED_RESPONSE'].includes(code)), codes.join())
})

t.test('a server that does not read', async (t) => {
  const server = await rawServer(t, () => {}, { onConnection: (socket) => setImmediate(() => socket.pause()) })
  const instance = run({ url: server.url, method: 'POST', body: Buffer.alloc(8 * MEBIBYTE), connections: 1, duration: 60, timeout: 0.3 })
  instance.once('reqError', instance.stop)
  const result = await instance
  addsUp(t, result)
  t.match(result.accounting, { sent: 1, timedOut: 1 })
})

t.test('a large body is not copied for each connection', async (t) => {
  const CONNECTIONS = 30
  const BODY = 5 * MEBIBYTE
  const server = await httpServer(t, (request, response) => request.resume().on('end', () => response.end('ok')))
  for (const form of ['buffer', 'string']) {
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(__dirname, 'upload.js'), server.url, CONNECTIONS, BODY, form])
    const { grownBy, completed, written } = JSON.parse(stdout)
    t.equal(completed, 2 * CONNECTIONS)
    t.ok(written > 2 * CONNECTIONS * BODY)
    t.ok(grownBy < 80 * MEBIBYTE, `as a ${form}: ${(grownBy / MEBIBYTE).toFixed(1)} MiB more, and copies would be ${CONNECTIONS * BODY / MEBIBYTE} MiB`)
  }
})
