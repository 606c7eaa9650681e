'use strict'

// The bodies of one connection that wait for windows or for the socket, between a made-up socket and made-up windows.

const t = require('tap')
const Uploads = require('../../../lib/protocol/http2/uploads')

const DATA = 0
const END_STREAM = 1

function setUp ({ window = 65_535, windows = [65_535, 65_535], full = [] } = {}) {
  const frames = []
  const makeSocket = () => {
    const drains = []
    let header = null
    const written = (bytes) => {
      if (header === null) {
        const length = bytes.readUIntBE(0, 3)
        header = { id: bytes.readUInt32BE(5), length, ends: bytes[4] === END_STREAM, type: bytes[3] }
        if (length > 0) return true
      }
      frames.push(`${header.type === DATA ? '' : 'not DATA '}${header.id}: ${header.length}${header.ends ? ' end' : ''}`)
      header = null
      return !full.includes(frames.length)
    }
    return { cork () {}, uncork () {}, write: written, once: (event, callback) => drains.push(callback), drain: () => drains.splice(0).forEach((callback) => callback()) }
  }
  const told = { brought: 0, answers: 0 }
  const connection = {
    isOpen: true,
    socket: makeSocket(),
    streams: { id: [1, 3], sendWindow: Float64Array.from(windows) },
    incoming: { broughtForward: () => { told.brought++ } },
    owner: { recorder: { bytesWritten: 0 } }
  }
  const outgoing = { window, hasPendingAnswers: false, putAnswers () { told.answers++; this.hasPendingAnswers = false } }
  const uploads = new Uploads(connection, outgoing)
  const take = () => frames.splice(0)
  return { uploads, connection, outgoing, told, take, makeSocket, frames }
}

t.test('bodies take turns, a frame each, as far as the windows of the connection and of each stream go', async (t) => {
  const { uploads, connection, outgoing, take, told } = setUp({ window: 60_000, windows: [20_000, 100_000] })
  uploads.begin(0, Buffer.alloc(25_000))
  uploads.begin(1, Buffer.alloc(60_000))
  uploads.pump()
  t.same(take(), ['1: 16384', '3: 16384', '1: 3616', '3: 16384', '3: 7232'])
  t.same([outgoing.window, ...connection.streams.sendWindow], [0, 0, 60_000])
  t.equal(connection.owner.recorder.bytesWritten, 60_000 + 5 * 9)
  t.equal(told.brought, 5)
  connection.streams.sendWindow[0] += 5000
  outgoing.window += 5100
  outgoing.hasPendingAnswers = true
  uploads.pump()
  t.same(take(), ['1: 5000 end', '3: 100'])
  t.equal(told.answers, 1, 'replies go first')
  t.same([uploads.has(0), uploads.has(1), uploads.size], [false, true, 1])
  uploads.drop(1)
  outgoing.window = 1000
  uploads.pump()
  t.same(take(), [])
})

t.test('a body from a source: it has to wait where 65,536 octets do, and its end needs no window', async (t) => {
  const { uploads, connection, outgoing, take, told } = setUp({ window: 0 })
  const writer = uploads.writer(0)
  t.equal(writer.write(Buffer.alloc(65_535)), true)
  t.equal(writer.write(Buffer.alloc(1)), false)
  let drained = 0
  writer.onDrain(() => { drained++ })
  t.equal(drained, 0)
  outgoing.window = 1
  uploads.pump()
  t.equal(drained, 1)
  writer.onDrain(() => { drained++ })
  t.equal(drained, 2, 'there is room already')
  connection.streams.sendWindow[0] = outgoing.window = 100_000
  uploads.pump()
  t.same(take(), ['1: 1', '1: 16384', '1: 16384', '1: 16384', '1: 16382', '1: 1'])
  t.equal(told.brought, 6)
  connection.streams.sendWindow[0] = outgoing.window = 0
  writer.end()
  t.same(take(), ['1: 0 end'])
  t.equal(told.brought, 6, 'an empty frame brings nothing forward')
  t.equal(uploads.size, 0)
})

t.test('a socket that is full: the next frame waits until it has drained, and nothing does for one that is gone', async (t) => {
  const { uploads, connection, take, makeSocket, frames } = setUp({ window: 1_000_000, full: [1] })
  uploads.begin(0, Buffer.alloc(40_000))
  uploads.pump()
  t.equal(frames.length, 1)
  uploads.pump()
  t.equal(frames.length, 1, 'it is full')
  connection.socket.drain()
  t.same(frames, ['1: 16384', '1: 16384', '1: 7232 end'])

  take()
  connection.streams.sendWindow.fill(100_000)
  uploads.begin(1, Buffer.alloc(40_000))
  uploads.pump()
  t.same(take(), ['3: 16384'])
  // The connection breaks and is opened again, and what it was writing to drains late.
  uploads.clear()
  const before = connection.socket
  connection.socket = makeSocket()
  uploads.begin(0, Buffer.alloc(20_000))
  uploads.pump()
  t.same(take(), ['1: 16384'], 'the new one is not full, but for its own first frame')
  before.drain()
  t.same(take(), [], 'the drain of another')
  connection.socket.drain()
  t.same(take(), ['1: 3616 end'])
})
