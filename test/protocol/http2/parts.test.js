'use strict'

// The parts of an HTTP/2 connection that need none: settings, heads of responses, streams that were reset, GOAWAY, names of codes.

const { EventEmitter } = require('node:events')
const t = require('tap')
const { errorName, typeName } = require('../../../lib/protocol/http2/constants')
const Goaway = require('../../../lib/protocol/http2/goaway')
const ResetStreams = require('../../../lib/protocol/http2/reset-streams')
const { checkTrailers, readHead } = require('../../../lib/protocol/http2/response-head')
const PeerSettings = require('../../../lib/protocol/http2/settings')
const enterWorld = require('../../../lib/world/enter')

/** Settings as they stand in a frame, between other octets. */
function frameOf (...pairs) {
  const buffer = Buffer.alloc(3 + 6 * pairs.length + 5, 0xff)
  pairs.forEach(([identifier, value], index) => {
    buffer.writeUInt16BE(identifier, 3 + 6 * index)
    buffer.writeUInt32BE(value, 3 + 6 * index + 2)
  })
  return [buffer, 3, 3 + 6 * pairs.length]
}

const PROTOCOL_ERROR = 1
const FLOW_CONTROL_ERROR = 3

t.test("the server's settings, and which values it must not send", async (t) => {
  const settings = new PeerSettings()
  t.strictSame({ ...settings }, { tableSize: 4096, leastTableSize: 4096, concurrentStreams: Infinity, window: 65535 })
  t.equal(settings.read(...frameOf([1, 100], [1, 8192], [2, 0], [3, 7], [4, 1000], [5, 16384], [6, 9], [99, 1])), null)
  t.strictSame({ ...settings }, { tableSize: 8192, leastTableSize: 100, concurrentStreams: 7, window: 1000 }, 'the table shrinks before it grows')
  t.equal(settings.read(...frameOf([3, 0])), null)
  t.strictSame({ ...settings }, { tableSize: 8192, leastTableSize: 8192, concurrentStreams: 0, window: 1000 })
  const wrong = (...pairs) => new PeerSettings().read(...frameOf(...pairs))
  t.strictSame(wrong([3, 5], [2, 1], [4, 9]), { code: PROTOCOL_ERROR, problem: 'SETTINGS_ENABLE_PUSH is 1' })
  t.equal(wrong([4, 2 ** 31 - 1]), null)
  t.strictSame(wrong([4, 2 ** 31]), { code: FLOW_CONTROL_ERROR, problem: 'SETTINGS_INITIAL_WINDOW_SIZE is 2147483648' })
  t.equal(wrong([5, 2 ** 24 - 1]), null)
  for (const size of [16383, 2 ** 24]) t.strictSame(wrong([5, size]), { code: PROTOCOL_ERROR, problem: `SETTINGS_MAX_FRAME_SIZE is ${size}` })
  t.equal(wrong(), null)
})

t.test('a head: its status, its length and coding, and its fields', async (t) => {
  const head = readHead([':status', '200', 'content-length', '12', 'content-encoding', 'gzip', 'x', 'y', 'content-length', '12', 'content-encoding', 'br'])
  t.match(head, { status: 200, contentLength: 12, coding: 'gzip, br' })
  t.same(head.raw, ['content-length', '12', 'content-encoding', 'gzip', 'x', 'y', 'content-length', '12', 'content-encoding', 'br'])
  t.equal(head.copy(), head)
  t.equal(head.fieldsIn(), head.fieldsIn())
  t.match(readHead([':status', '404']), { status: 404, contentLength: -1, coding: '', raw: [] })
  t.match(readHead([':status', '200', 'te', 'trailers']), { status: 200 })
  t.match(readHead([':status', '200', 'content-length', '0']), { contentLength: 0 })
  t.match(readHead([':status', '200', 'content-length', '123456789012345']), { contentLength: 123456789012345 })
})

t.test('why a head, or trailers, are malformed', async (t) => {
  const noStart = 'it does not begin with a :status'
  for (const fields of [[], ['x', 'y'], ['x', 'y', ':status', '200']]) t.equal(readHead(fields), noStart)
  for (const status of ['99', '099', '1000', '20x', '']) t.equal(readHead([':status', status]), 'its :status is not a status code', status)
  t.equal(readHead([':status', '101']), 'it switches protocols, which HTTP/2 does not have')
  for (const status of ['100', '102', '999']) t.match(readHead([':status', status]), { status: Number(status) })
  const FIELDS = [
    ['X', 'y', 'the name of a header has illegal characters'],
    ['', 'y', 'the name of a header has illegal characters'],
    ['a b', 'y', 'the name of a header has illegal characters'],
    ['a:b', 'y', 'the name of a header has illegal characters'],
    ['é', 'y', 'the name of a header has illegal characters'],
    [':path', '/', 'a pseudo-header in an illegal place'],
    [':status', '200', 'a pseudo-header in an illegal place'],
    ['x', 'a\nb', 'the value of a header has illegal characters'],
    ['x', 'a\0', 'the value of a header has illegal characters'],
    ['x', ' a', 'the value of a header has illegal characters'],
    ['x', 'a\t', 'the value of a header has illegal characters'],
    ['te', 'gzip', 'it has the header te, which HTTP/2 forbids'],
    ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map((name) => [name, 'a', `it has the header ${name}, which HTTP/2 forbids`])
  ]
  for (const [name, value, problem] of FIELDS) {
    t.equal(readHead([':status', '200', 'ok', 'fine', name, value]), problem, name)
    t.equal(checkTrailers(['ok', 'fine', name, value]), problem, name)
  }
  t.equal(checkTrailers(['x', 'a b', 'y', '']), '')
  t.equal(checkTrailers([]), '')
  for (const length of ['x', '-1', '1.5', '', '1234567890123456']) t.equal(readHead([':status', '200', 'content-length', length]), 'its content-length is not a number', length)
  t.equal(readHead([':status', '200', 'content-length', '1', 'content-length', '2']), 'it has two different content-lengths')
})

t.test('which side reset a stream; the oldest of more than 4,096 may have been reset by us', async (t) => {
  const streams = new ResetStreams()
  t.same([1, 3].map((id) => streams.wasByUs(id)), [undefined, undefined])
  streams.add(1, false)
  streams.add(3, true)
  t.same([1, 3, 5].map((id) => streams.wasByUs(id)), [false, true, undefined])
  for (let id = 5; id < 2 * 4096; id += 2) streams.add(id, false)
  t.same([1, 3, 8191].map((id) => streams.wasByUs(id)), [false, true, false], 'as many as are remembered')
  streams.add(9001, false)
  t.same([1, 3, 5, 8193, 9001].map((id) => streams.wasByUs(id)), [true, true, false, undefined, false])
  streams.add(9003, false)
  streams.add(9005, false)
  t.same([3, 5, 7].map((id) => streams.wasByUs(id)), [true, true, false])
  streams.clear()
  t.same([1, 5, 9001].map((id) => streams.wasByUs(id)), [undefined, undefined, undefined])
})

t.test("the server's GOAWAY: its last stream, which must not grow, and its reason, once", async (t) => {
  const goaway = new Goaway()
  t.same([goaway.isByServer, goaway.lastStreamId, goaway.takeReason()], [false, Infinity, null])
  t.equal(goaway.received(2 ** 31 - 1, 0, ''), true)
  t.same([goaway.isByServer, goaway.takeReason()], [true, null], 'a server that only shuts down')
  t.equal(goaway.received(7, 11, 'slow down'), true)
  t.same([goaway.lastStreamId, goaway.takeReason(), goaway.takeReason()], [7, 'the server ended the connection with GOAWAY (ENHANCE_YOUR_CALM): slow down', null])
  t.same([goaway.received(9, 0, ''), goaway.lastStreamId], [false, 7])
  t.same([goaway.received(7, 0xff, ''), goaway.takeReason()], [true, 'the server ended the connection with GOAWAY (error code 0xff)'])
  goaway.code = 1
  goaway.received(3, 2, 'x')
  goaway.begin()
  t.same([goaway.isByServer, goaway.code, goaway.takeReason()], [false, null, null])
})

t.test('our GOAWAY: an error code has half a second to arrive', async (t) => {
  const timers = []
  t.teardown(enterWorld({
    setTimeout: (callback, ms) => { const timer = { callback, ms }; timers.push(timer); return timer },
    clearTimeout: (timer) => timers.splice(timers.indexOf(timer), 1)
  }))
  const socketOf = (changes) => Object.assign(new EventEmitter(), { writable: true, writableLength: 0, writableCorked: 0, did: [], ...changes }, {
    uncork () { this.writableCorked--; this.did.push('uncork') },
    write (frame) { this.did.push(frame.toString('hex')) },
    end () { this.did.push('end') },
    destroy () { this.did.push('destroy') }
  })
  const frame = (code) => `000008070000000000000000000000000${code}`
  const send = (socket, code = null) => {
    const goaway = Object.assign(new Goaway(), { code })
    const recorder = { bytesWritten: 100 }
    return [goaway.send(socket, recorder), recorder.bytesWritten]
  }
  const fine = socketOf({ writableCorked: 2 })
  t.same([send(fine), fine.did, timers.length], [[false, 117], ['uncork', 'uncork', frame(0)], 0])
  const broken = socketOf()
  t.same([send(broken, 1), broken.did, timers.map(({ ms }) => ms)], [[true, 117], [frame(1), 'end'], [500]])
  timers[0].callback()
  t.equal(broken.did.at(-1), 'destroy')
  broken.emit('close')
  t.equal(timers.length, 0)
  for (const unable of [{ writable: false }, { writableLength: 2 ** 30 }]) {
    const socket = socketOf(unable)
    t.same([send(socket, 1), socket.did], [[false, 100], []])
  }
})

t.test('the names of codes and frames are those of the RFC', async (t) => {
  const codes = ['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED']
  t.same([...codes.keys(), 14, 0xabc].map(errorName), [...codes, 'error code 0xe', 'error code 0xabc'])
  const types = ['DATA', 'HEADERS', 'PRIORITY', 'RST_STREAM', 'SETTINGS', 'PUSH_PROMISE', 'PING', 'GOAWAY', 'WINDOW_UPDATE', 'CONTINUATION']
  t.same([...types.keys(), 10, 0xfe].map(typeName), [...types, 'type 0xa', 'type 0xfe'])
})
