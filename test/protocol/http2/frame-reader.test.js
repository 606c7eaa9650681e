'use strict'

const t = require('tap')
const FrameReader = require('../../../lib/protocol/http2/frame-reader')
const { frame } = require('./frame-server')

/** Records everything that a reader reports. */
class Listener {
  constructor () {
    this.told = []
    this.reader = new FrameReader(this)
    this.data = null
  }

  onFrame (type, flags, streamId, buffer, start, end) {
    this.told.push([type, flags, streamId, buffer.latin1Slice(start, end)])
  }

  onDataFrame (flags, streamId, length) {
    this.data = ['DATA', flags, streamId, length, '']
  }

  onData (buffer, start, end) {
    this.data[4] += buffer.latin1Slice(start, end)
  }

  onDataEnd () {
    this.told.push(this.data)
  }

  onFrameError (code, problem) {
    this.told.push([code, problem])
  }
}

function read (bytes, size) {
  const listener = new Listener()
  for (let start = 0, now = 0; start < bytes.length && !listener.reader.stopped; start += size) {
    const packet = bytes.subarray(start, start + size)
    // Bytes beyond what was received must not be read.
    listener.reader.execute(Buffer.concat([packet, Buffer.alloc(20, 0xff)]), packet.length, now++)
  }
  return listener
}

const FRAMES = Buffer.concat([
  frame('SETTINGS', 0, 0, 'abcdef'),
  frame('HEADERS', 4, 1, 'block'),
  frame('DATA', 0, 1, 'some text'),
  frame('DATA', 8, 1, `\x03padded${'\0'.repeat(3)}`),
  frame('DATA', 8, 1, '\x04' + '\0'.repeat(4)),
  frame('DATA', 9, 1, '\0'),
  frame('DATA', 1, 1),
  frame('PING', 0, 0, '12345678'),
  frame(77, 0xff, 0x80000003, 'x'.repeat(300)),
  frame('GOAWAY', 0, 0, '')
])

t.test('frames are the same wherever they are split', async (t) => {
  const expected = [
    [4, 0, 0, 'abcdef'], [1, 4, 1, 'block'], ['DATA', 0, 1, 9, 'some text'], ['DATA', 8, 1, 10, 'padded'], ['DATA', 8, 1, 5, ''],
    ['DATA', 9, 1, 1, ''], ['DATA', 1, 1, 0, ''], [6, 0, 0, '12345678'], [77, 0xff, 3, 'x'.repeat(300)], [7, 0, 0, '']
  ]
  for (let size = 1; size <= FRAMES.length; size++) {
    const { told, reader } = read(FRAMES, size)
    t.strictSame(told, expected, `pieces of ${size}`)
    t.notOk(reader.midway)
  }
  t.ok(read(FRAMES.subarray(0, -1), 1000).reader.midway)
})

t.test('a frame that is too large, and padding longer than its frame', async (t) => {
  for (const size of [1, 5, 100]) {
    t.match(read(frame('HEADERS', 0, 1, Buffer.alloc(16385)).subarray(0, 100), size).told, [[6, /16385/]])
    t.match(read(frame('DATA', 0, 1, Buffer.alloc(16385)).subarray(0, 100), size).told, [[6, /16385/]])
    t.match(read(frame('DATA', 8, 1, '\x05abcd'), size).told, [[1, /padding/]])
    t.match(read(frame('DATA', 8, 1), size).told, [[6, /padding/]])
  }
  t.strictSame(read(frame('HEADERS', 0, 1, Buffer.alloc(16384)), 1000).told[0][3].length, 16384)
})

t.test('the time of a frame is that of its first byte', async (t) => {
  const times = []
  const listener = new Listener()
  listener.onFrame = () => times.push(listener.reader.frameAt)
  const bytes = Buffer.concat([frame('PING', 0, 0, '12345678'), frame('PING', 0, 0, '12345678')])
  listener.reader.execute(bytes.subarray(0, 20), 20, 10)
  listener.reader.execute(bytes.subarray(20), bytes.length - 20, 30)
  t.strictSame(times, [10, 10])
})
