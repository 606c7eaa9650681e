'use strict'

// Real sockets: what the other end receives must be what was written, in this order, whoever wrote it.

const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { once } = require('node:events')
const t = require('tap')
const DirectWrites = require('../../lib/world/direct-writes')

// Since then, streams make no object for a write that is complete at once, so everything goes to them.
const BYPASSES_STREAMS = Number(process.versions.node.split('.')[0]) < 26

/** How many writes a stream gets, if all but some bypass it, or not. */
const writesOf = (some, all) => BYPASSES_STREAMS ? some : all

/** A server that reads only after `read()`, and sockets to it. */
async function slowReader (t, listen = [0, '127.0.0.1']) {
  const kept = []
  const sockets = []
  const server = net.createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => {}).on('data', (bytes) => kept.push(bytes))
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server.listen(...listen), 'listening')
  return {
    sockets,
    async open () {
      const accepted = once(server, 'connection')
      const socket = net.connect(typeof listen[0] === 'string' ? { path: listen[0] } : { port: server.address().port, host: '127.0.0.1' })
      t.teardown(() => socket.destroy())
      await Promise.all([once(socket, 'connect'), accepted])
      return socket
    },
    /** Everything that a socket sent until it ended. */
    async read () {
      for (const socket of sockets) socket.resume()
      await Promise.all(sockets.map((socket) => once(socket, 'end')))
      return Buffer.concat(kept)
    }
  }
}

/** Counts the writes that a socket's stream gets. */
function watchStream (socket) {
  const seen = { writes: 0 }
  const { write } = socket
  socket.write = (...given) => {
    seen.writes++
    return write.apply(socket, given)
  }
  return seen
}

/** Lines with their number, so that none can be lost, repeated or out of order unnoticed. */
const line = (number, length) => `${String(number).padStart(8, '0')}${'x'.repeat(length - 9)}\n`

const pathOfSocket = () => process.platform === 'win32' ? `\\\\.\\pipe\\direct-writes-${process.pid}` : path.join(os.tmpdir(), `direct-writes-${process.pid}.sock`)

for (const [name, listen] of [['TCP', undefined], ['a Unix socket', [pathOfSocket()]]]) {
  t.test(`only the first write needs the stream: ${name}`, async (t) => {
    const server = await slowReader(t, listen)
    const [one, other] = [await server.open(), await server.open()]
    const streams = [one, other].map(watchStream)
    const direct = new DirectWrites()
    for (let number = 0; number < 5; number++) {
      t.equal(direct.write(one, Buffer.from(line(number, 20))), true)
      t.equal(direct.writeText(one, line(number + 100, 20)), true)
      t.equal(direct.writeText(other, ''), true)
      t.ok(direct.isFlushed(one))
    }
    // One of zero bytes comes first.
    t.same(streams.map(({ writes }) => writes), [writesOf(1, 11), writesOf(0, 5)])
    one.end()
    other.end()
    t.equal(String(await server.read()), [0, 100, 1, 101, 2, 102, 3, 103, 4, 104].map((number) => line(number, 20)).join(''))
  })
}

t.test('what the system does not take at once is sent later, before anything that was written after it', async (t) => {
  const server = await slowReader(t)
  const socket = await server.open()
  const stream = watchStream(socket)
  const direct = new DirectWrites()
  let number = 0
  const next = () => Buffer.from(line(number++, 10_000))
  while (direct.isFlushed(socket)) direct.write(socket, next())
  t.equal(stream.writes, writesOf(1, number + 1), 'only one of zero bytes went to the stream')
  t.equal(socket.writableLength > 0, !BYPASSES_STREAMS)
  const before = stream.writes
  // They wait behind the rest of the last one.
  direct.write(socket, next())
  direct.writeText(socket, String(next()))
  socket.write(next())
  t.equal(stream.writes, before + 3)
  t.notOk(direct.isFlushed(socket))
  const drained = new Promise((resolve) => socket.write(next(), resolve))
  for (const peer of server.sockets) peer.resume()
  await drained
  t.ok(direct.isFlushed(socket))
  t.equal(direct.write(socket, next()), true)
  t.equal(stream.writes, before + writesOf(4, 5), 'directly again')
  socket.end()
  const received = String(await server.read())
  t.equal(received.length, number * 10_000)
  t.same(received.split('\n').slice(0, -1).map((text) => Number(text.slice(0, 8))), Array.from({ length: number }, (_, index) => index))
})

t.test('a socket that is destroyed or closed by its peer while data is on its way', async (t) => {
  for (const how of ['destroyed', 'reset']) {
    const server = await slowReader(t)
    const socket = await server.open()
    const direct = new DirectWrites()
    const errors = []
    socket.on('error', (error) => errors.push(error))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    while (direct.isFlushed(socket)) direct.write(socket, Buffer.alloc(10_000))
    if (how === 'destroyed') socket.destroy()
    else for (const peer of server.sockets) peer.resetAndDestroy()
    await closed
    t.equal(errors.length, how === 'destroyed' ? 0 : 1, how)
    t.ok(direct.isFlushed(socket), `${how}: nothing is on its way any more`)
  }
})

t.test('a request that is in use is not used again, also if nothing is left in the queue of its handle', async (t) => {
  for (const [writeQueueSize, id, isInUse] of [[0, -1, false], [0, 7, true], [9, 7, true]]) {
    const direct = new DirectWrites()
    class WriteWrap { getAsyncId () { return -1 } }
    const request = { getAsyncId: () => id }
    Object.assign(direct, { WriteRequest: WriteWrap, request })
    const handle = { writeQueueSize }
    direct.settle({ _handle: handle, writableLength: 0 }, handle, 0, 'text')
    t.equal(direct.request === request, !isInUse, `${writeQueueSize} bytes in the queue, ${id}`)
    t.equal(direct.isFlushed({ _handle: handle, writableLength: 0 }), !isInUse)
  }
})

t.test('a write that fails destroys the socket with the same error as its stream', async (t) => {
  const errors = []
  for (const isDirect of [false, true]) {
    const server = await slowReader(t)
    const socket = await server.open()
    const direct = new DirectWrites()
    direct.write(socket, Buffer.from('first'))
    // The event loop, which would notice the reset, does not get a turn before the next write.
    for (const peer of server.sockets) peer.resetAndDestroy()
    const failed = once(socket, 'error')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    if (isDirect) t.equal(direct.write(socket, Buffer.from('second')), false)
    else socket.write(Buffer.from('second'))
    const [{ code, syscall, errno, message }] = await failed
    errors.push({ code, syscall, errno, message, hadError: await closed })
  }
  t.equal(errors[0].syscall, 'write')
  t.same(errors[1], errors[0])
})

t.test('what must wait for something goes to the stream: a connection that opens, a cork, and much data', async (t) => {
  const server = await slowReader(t)
  const warm = await server.open()
  const direct = new DirectWrites()
  direct.write(warm, Buffer.from('.'))
  const socket = net.connect({ port: warm.remotePort, host: '127.0.0.1' })
  t.teardown(() => socket.destroy())
  const stream = watchStream(socket)
  direct.write(socket, Buffer.from('1'))
  t.equal(stream.writes, 1, 'connecting')
  await once(socket, 'connect')
  await new Promise((resolve) => socket.write('2', resolve))
  socket.cork()
  direct.write(socket, Buffer.from('3'))
  direct.writeText(socket, '4')
  t.equal(stream.writes, 4, 'corked')
  socket.uncork()
  t.equal(direct.write(socket, Buffer.alloc(16 * 1024 * 1024)), false, 'the socket asks its user to wait')
  t.equal(stream.writes, 5, 'large')
})

t.test('a socket that is connected again', async (t) => {
  const server = await slowReader(t)
  const direct = new DirectWrites()
  const socket = await server.open()
  direct.write(socket, Buffer.from('1'))
  const again = { port: socket.remotePort, host: '127.0.0.1' }
  socket.destroy()
  t.equal(direct.freeHandleOf(socket), null)
  await once(socket, 'close')
  socket.connect(again)
  await once(socket, 'connect')
  const stream = watchStream(socket)
  direct.write(socket, Buffer.from('2'))
  t.equal(stream.writes, writesOf(0, 1))
  socket.end()
  t.equal(String(await server.read()), '12')
})

t.test('a socket that is busy when it is seen first is looked at again', async (t) => {
  const server = await slowReader(t)
  const socket = await server.open()
  const direct = new DirectWrites()
  socket.cork()
  direct.write(socket, Buffer.from('1'))
  await new Promise((resolve) => { socket.write('2', resolve); socket.uncork() })
  direct.write(socket, Buffer.from('3'))
  const stream = watchStream(socket)
  direct.write(socket, Buffer.from('4'))
  t.equal(stream.writes, writesOf(0, 1))
  socket.end()
  t.equal(String(await server.read()), '1234')
})

t.test('if a handle is not as expected, everything goes to the stream', async (t) => {
  const complete = { writeBuffer: () => 0, writeLatin1String: () => 0, writeQueueSize: 0 }
  const cases = {
    'no handle': null,
    'an unknown handle': {},
    'a handle without methods for texts': { ...complete, writeLatin1String: undefined },
    'a handle without the size of its queue': { ...complete, writeQueueSize: undefined },
    'requests that are made by the handle': complete,
    'requests of another class': complete,
    'a stream that does not use it': complete
  }
  for (const [name, methods] of Object.entries(cases)) {
    const direct = new DirectWrites()
    const written = []
    const write = (...given) => {
      written.push(given.join())
      if (name.startsWith('requests')) socket._handle.writeBuffer(name.endsWith('handle') ? null : {}, Buffer.from(given[0]))
      return false
    }
    const socket = { writableLength: 0, writableCorked: 0, write, _handle: methods && Object.create(methods) }
    for (const text of ['a', 'b']) {
      t.equal(direct.write(socket, Buffer.from(text)), false, name)
      t.equal(direct.writeText(socket, text), false, name)
    }
    t.same(written.map((text) => text.split(',')[0]).filter((text) => text !== ''), ['a', 'a', 'b', 'b'], name)
  }
})
