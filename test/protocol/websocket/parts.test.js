'use strict'

// The parts of a WebSocket connection that need none: frames, codes, Pings, texts in pieces, ids that a function finds.

const zlib = require('node:zlib')
const t = require('tap')
const { encodeEvent } = require('../../../lib/protocol/socketio/event-message')
const { closeFrame, encodeFrame, headerLength, maskFrom, pingFrame, pongFrame } = require('../../../lib/protocol/websocket/frames')
const CloseHandshake = require('../../../lib/protocol/websocket/close-handshake')
const { isCloseCode, isControl, isReserved } = require('../../../lib/protocol/websocket/constants')
const MatchedIds = require('../../../lib/protocol/websocket/matched-ids')
const { MessageTrain, encodeMessage } = require('../../../lib/protocol/websocket/message')
const Pings = require('../../../lib/protocol/websocket/pings')
const { TextCheck, isText } = require('../../../lib/protocol/websocket/utf8')
const Ids = require('../../../lib/world/ids')

/** A client's frame, unmasked: its first two octets, the length that follows, and the payload. */
function read (frame) {
  t.ok(frame[1] & 0x80, 'it is masked')
  const short = frame[1] & 0x7f
  const [bytes, length] = short < 126 ? [2, short] : short === 126 ? [4, frame.readUInt16BE(2)] : [10, Number(frame.readBigUInt64BE(2))]
  const payload = Buffer.from(frame.subarray(bytes + 4))
  for (let index = 0; index < payload.length; index++) payload[index] ^= frame[bytes + index % 4]
  t.equal(payload.length, length)
  return { first: frame[0], short, payload }
}

/** The frames that follow one another. */
function framesIn (bytes) {
  const frames = []
  while (bytes.length > 0) {
    const short = bytes[1] & 0x7f
    const length = short < 126 ? 6 + short : short === 126 ? 8 + bytes.readUInt16BE(2) : 14 + Number(bytes.readBigUInt64BE(2))
    frames.push(read(bytes.subarray(0, length)))
    bytes = bytes.subarray(length)
  }
  return frames
}

t.test('frames: their first octet, length in two, four or ten octets, and a masked payload', async (t) => {
  for (const [length, short, header] of [[0, 0, 6], [1, 1, 6], [125, 125, 6], [126, 126, 8], [65535, 126, 8], [65536, 127, 14], [70000, 127, 14]]) {
    const payload = Buffer.alloc(length, 'abcdefg')
    t.equal(headerLength(length), header)
    const frame = encodeFrame(2, payload)
    t.equal(frame.length, header + length)
    t.same(read(frame), { first: 0x82, short, payload })
    t.equal(read(encodeFrame(1, payload, true)).first, 0xc1, 'compressed')
  }
  const frame = Buffer.from([9, 1, 2, 3, 4, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60])
  maskFrom(frame, 5, 6, 10)
  t.same([...frame], [9, 1, 2, 3, 4, 0x10, 0x22, 0x33, 0x44, 0x51, 0x60])
  t.same([closeFrame(1000), closeFrame(1005), pingFrame(), pongFrame(Buffer.from('hi'))].map((each) => read(each)).map(({ first, payload }) => [first, payload.toString('hex')]),
    [[0x88, '03e8'], [0x88, ''], [0x89, ''], [0x8a, '6869']])
})

t.test('connections that have agreed on different windows send the same messages, each within its own window', async (t) => {
  const words = (count) => Array.from({ length: count }, (_, index) => Math.imul(index + 1, 2654435761) >>> 0).join(' ')
  // The content repeats at distances between the windows.
  const long = words(60).repeat(2) + words(600).repeat(2)
  const socketio = { namespace: '/', event: 'message', acknowledges: true }
  const id = 'i'.repeat(Ids.LENGTH)
  const ACK = '100000007'
  const MESSAGES = {
    text: [encodeMessage({ body: long }, {}), [long]],
    bytes: [encodeMessage({ body: Buffer.from(long) }, {}), [long]],
    'with ids': [encodeMessage({ body: `[<id>]${long}[<id>]` }, {}, true), [id + long + id]],
    event: [encodeEvent({ body: JSON.stringify(long) }, { socketio }), [`42${ACK}["message",${JSON.stringify(long)}]`]],
    'event with an attachment': [encodeEvent({ body: Buffer.from(long) }, { socketio: { ...socketio, acknowledges: false } }), ['451-["message",{"_placeholder":true,"num":0}]', long]]
  }
  const inflated = (payload, bits) => zlib.inflateRawSync(Buffer.concat([payload, Buffer.of(0, 0, 0xff, 0xff)]), { windowBits: bits, chunkSize: 64, finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString()
  for (const [name, [message, texts]] of Object.entries(MESSAGES)) {
    const lengths = new Map()
    for (const bits of [15, 9, 12, 9, 15, 10]) {
      const frames = message.compressed(bits).instance(id, ACK)
      const payloads = framesIn(Buffer.concat(frames)).map(({ payload }) => payload)
      t.same(payloads.map((payload) => inflated(payload, bits)), texts, `${name}: 2 ** ${bits}`)
      lengths.set(bits, Buffer.concat(payloads).length)
    }
    t.ok(lengths.get(15) < lengths.get(12) && lengths.get(12) < lengths.get(9), `${name}: a larger window is used`)
  }
  const train = new MessageTrain([encodeMessage({ body: long }, {}), encodeMessage({ body: 'short' }, {})], [0, 1])
  const joined = [12, 9, 15, 9].map((bits) => {
    const payloads = framesIn(train.compressed(bits).bytes(1, 3)).map(({ payload }) => payload)
    t.same(payloads.map((payload) => inflated(payload, bits)), ['short', long, 'short'], `joined: 2 ** ${bits}`)
    return payloads[1].length
  })
  t.ok(joined[2] < joined[0] && joined[0] < joined[1] && joined[1] === joined[3], `joined: ${joined}`)
})

t.test('opcodes and close codes', async (t) => {
  const all = [...Array(16).keys()]
  t.same(all.filter(isReserved), [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
  t.same(all.filter(isControl), [8, 9, 10, 11, 12, 13, 14, 15])
  const codes = [0, 999, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 2999, 3000, 3999, 4000, 4999, 5000, 65535]
  t.same(codes.filter(isCloseCode), [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
})

t.test('a Close frame is sent if the server can be reached, and it may then close the socket', async (t) => {
  const begin = (code, writable = true) => {
    const written = []
    const added = []
    const handshake = new CloseHandshake()
    t.equal(handshake.canBegin, false)
    handshake.code = code
    const socket = { writable, write: (frame) => written.push(read(frame).payload.toString('hex')) }
    const recorder = { bytesWritten: 100 }
    const isSent = handshake.begin(socket, { recorder, closingSockets: { add: (each) => added.push(each) } })
    return { isSent, canBegin: handshake.canBegin, written, bytes: recorder.bytesWritten, isAdded: added[0] === socket }
  }
  t.strictSame(begin(1000), { isSent: true, canBegin: true, written: ['03e8'], bytes: 108, isAdded: true })
  t.strictSame(begin(1000, false), { isSent: false, canBegin: true, written: [], bytes: 100, isAdded: false })
  t.strictSame(begin(null), { isSent: false, canBegin: false, written: [], bytes: 100, isAdded: false })
})

t.test('Pings are answered together, the latest sixteen, if the server reads what it is sent', async (t) => {
  const put = []
  const connection = { outgoing: { isRead: true }, put: (bytes) => put.push(bytes), owner: { recorder: { messages: { pings: 0 } } } }
  const pings = new Pings(connection)
  const came = (text) => pings.came(Buffer.from(`<${text}>`), 1, 1 + text.length)
  pings.answer()
  t.same(put, [])
  const buffer = Buffer.from('abc')
  pings.came(buffer, 0, 2)
  buffer.fill('x')
  came('c')
  pings.answer()
  t.same(texts(put.pop()), ['ab', 'c'], 'the buffer may be used again')
  pings.answer()
  t.same(put, [], 'once')
  for (let number = 0; number < 20; number++) came(String(number))
  pings.answer()
  t.same(texts(put.pop()), Array.from({ length: 16 }, (_, index) => String(index + 4)))
  t.equal(connection.owner.recorder.messages.pings, 22)
  pings.send()
  t.equal(read(put.pop()).first, 0x89)
  connection.outgoing.isRead = false
  came('x')
  pings.answer()
  pings.send()
  t.same(put, [])
  connection.outgoing.isRead = true
  came('y')
  pings.reset()
  pings.answer()
  t.same(put, [])
})

// The payloads of several short frames.
function texts (bytes) {
  const all = []
  for (let at = 0; at < bytes.length;) {
    const end = at + 6 + (bytes[at + 1] & 0x7f)
    const { first, payload } = read(bytes.subarray(at, end))
    t.equal(first, 0x8a)
    all.push(payload.toString())
    at = end
  }
  return all
}

t.test('a text is valid UTF-8, however it is split', async (t) => {
  const isValid = (bytes) => { try { new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes); return true } catch { return false } }
  const edges = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff]
  const wrong = []
  const check = new TextCheck()
  const tryOne = (bytes) => {
    const buffer = Buffer.from(bytes)
    const expected = isValid(buffer)
    if (isText(buffer, 0, buffer.length) !== expected) wrong.push(['whole', buffer.toString('hex')])
    for (let at = 0; at <= buffer.length; at++) {
      check.reset()
      check.add(buffer, 0, at)
      check.add(buffer, at, buffer.length)
      if (check.isWhole !== expected) wrong.push([at, buffer.toString('hex')])
    }
  }
  for (const first of edges) {
    tryOne([first])
    for (const second of edges) {
      tryOne([first, second])
      tryOne([0x41, first, second, 0x80])
      tryOne([first, second, 0xbf, 0xbf])
      tryOne([first, second, 0x80, 0x7f])
    }
  }
  t.same(wrong, [])
  const long = Buffer.from('ä'.repeat(100))
  t.same([isText(long, 0, 200), isText(long, 0, 199), isText(long, 1, 200), isText(Buffer.alloc(100, 'a'), 10, 90)], [true, false, false, true])
  check.reset()
  check.add(Buffer.from([0xff]), 0, 1)
  check.add(Buffer.from('fine'), 0, 4)
  t.equal(check.isWhole, false, 'a broken text stays broken')
})

t.test('ids are kept for as long as copies may arrive, and at least the latest', async (t) => {
  // Kept for 10 ms, and two of them for longer.
  const ids = new MatchedIds(3, 10, 2)
  t.same([ids.foundPart, ids.foundNumber, ids.foundDueAt, ids.lastNumber, ids.find('a')], [3, 0, 0, -1, false])
  ids.add('a', 1000)
  ids.add('b', 2000)
  ids.add('c', 3000)
  const found = (id) => ids.find(id) ? [ids.foundNumber, ids.foundDueAt] : null
  t.same([found('a'), found('b'), found('c'), ids.lastNumber], [[0, 1000], [1, 2000], [2, 3000], 2], 'all of the last 10 ms')
  t.equal(found('d'), null)
  t.same([ids.foundNumber, ids.foundDueAt], [2, 3000])
  ids.add('d', 10_999)
  t.same(['a', 'b', 'c', 'd'].map((id) => found(id) !== null), [true, true, true, true])
  ids.add('e', 11_000)
  t.same(['a', 'b', 'c', 'd', 'e'].map((id) => found(id) !== null), [false, true, true, true, true], 'ten ms after it was due')
  ids.add('f', 99_000)
  t.same(['b', 'c', 'd', 'e', 'f'].map((id) => found(id) !== null), [false, false, false, true, true], 'the latest ones, however old')
  ids.add('e', 99_001)
  t.same([found('e'), found('f')], [[6, 99_001], [5, 99_000]], 'the same id again is another message')
})
