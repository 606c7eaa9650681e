'use strict'

// Reads the real clock and the real socket, which the simulator can only approximate.

const net = require('node:net')
const { once } = require('node:events')
const t = require('tap')
const { run } = require('../..')
const { REAL: world } = require('../../lib/world')

const REHEARSALS = 50

/** A server that answers each request with a body of one byte and keeps what it received. */
async function keeper (t) {
  const kept = []
  const server = net.createServer((socket) => socket.on('error', () => {}).on('data', (bytes) => {
    kept.push(bytes)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!')
  }))
  const sockets = new Set()
  server.on('connection', (socket) => sockets.add(socket))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: server.address().port, received: () => Buffer.concat(kept) }
}

t.test("a rehearsed write sends nothing and doesn't change the next write", async (t) => {
  const { port, received } = await keeper(t)
  const socket = net.connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  for (let number = 0; number < REHEARSALS; number++) world.rehearseWrite(socket)
  t.equal(socket.writableLength, 0, 'nothing is queued')
  socket.write('one ')
  world.rehearseWrite(socket)
  socket.cork()
  socket.write('two ')
  world.rehearseWrite(socket)
  socket.write('three')
  socket.uncork()
  while (received().length < 13) await once(socket, 'data')
  t.equal(received().toString(), 'one two three')
  t.equal(socket.bytesWritten, 13)
})

t.test('a run sends exactly what it counts', async (t) => {
  const { port, received } = await keeper(t)
  const result = await run({ url: `http://127.0.0.1:${port}`, connections: 2, overallRate: 200, amount: 30 })
  t.match(result.accounting, { scheduled: 30, sent: 30, completed: 30 })
  t.equal(received().length, result.bytes.written)
})

t.test('an event is dated at the last poll, or at the time it is read if the last poll was long ago', (t) => {
  const before = world.now()
  const read = world.foundAt(-Infinity)
  t.ok(read >= before)
  // This machine may stall between the two lines.
  const look = world.now()
  const found = world.foundAt(look)
  t.ok(found === look || found >= look + 0.05, `${found - look} ms behind`)
  t.ok(world.foundAt(look - 0.06) >= look)
  t.end()
})
