'use strict'

const { isUtf8 } = require('node:buffer')
const zlib = require('node:zlib')
const t = require('tap')
const { Inflater, deflate, readAgreement } = require('../../../lib/protocol/websocket/deflate')
const Opening = require('../../../lib/protocol/websocket/opening')
const { TextCheck, isText } = require('../../../lib/protocol/websocket/utf8')
const { frame, hear, hearOfWs } = require('./frames')

const LONG = 'long '.repeat(40)
const WIDE = 'ä€𝄞'.repeat(60)

const FRAMES = [
  frame('TEXT', 'hello'), frame('BINARY', Buffer.of(0, 255, 128)), frame('TEXT', ''), frame('TEXT', WIDE), frame('TEXT', LONG, { size: 64 }),
  frame('TEXT', 'a€'.slice(0, 1), { fin: false }), frame('PING', 'within'), frame('CONTINUATION', Buffer.from('€').subarray(0, 2), { fin: false }),
  frame('PONG', 'x'), frame('CONTINUATION', Buffer.from('€').subarray(2)), frame('BINARY', '', { fin: false }), frame('CONTINUATION', ''),
  frame('TEXT', '', { fin: false }), frame('CONTINUATION', 'whole'), frame('PING', 'p'.repeat(125)), frame('CLOSE', Buffer.concat([Buffer.of(3, 232), Buffer.from('bye €')])),
  frame('TEXT', 'behind the end')
]
const MESSAGES = Buffer.concat(FRAMES)
// Where the messages begin that are read.
const BEGINNINGS = FRAMES.slice(0, -1).flatMap((bytes, index) => [1, 2].includes(bytes[0] & 15) ? [Buffer.concat(FRAMES.slice(0, index)).length] : [])
const latin = (text) => Buffer.from(text).toString('latin1')
const TOLD = [
  ['text', 'hello'], ['bytes', '\x00\xff\x80'], ['text', ''], ['text', latin(WIDE)], ['text', LONG], ['ping', 'within'], ['pong'], ['text', latin('a€')],
  ['bytes', ''], ['text', 'whole'], ['ping', 'p'.repeat(125)], ['close', 1000, 'bye €']
]

t.test('messages are the same wherever they are split, and the same as those of ws', async (t) => {
  for (let size = 1; size <= MESSAGES.length; size++) {
    const { told, code, begun } = hear(MESSAGES, size)
    if (code !== null || JSON.stringify(told) !== JSON.stringify(TOLD)) t.strictSame(told, TOLD, `pieces of ${size}`)
    const since = BEGINNINGS.map((place) => place - place % size)
    const unread = hear(MESSAGES, size, { wantsPayload: false })
    for (const each of [begun, unread.begun]) if (JSON.stringify(each) !== JSON.stringify(since)) t.strictSame(each, since, `when they began to arrive, in pieces of ${size}`)
    const unseen = unread.told.map(([kind, what]) => [kind, typeof what === 'string' ? what.length : what])
    const expected = TOLD.map(([kind, what]) => [kind, typeof what === 'string' ? what.length : what])
    if (JSON.stringify(unseen) !== JSON.stringify(expected)) t.strictSame(unseen, expected, `pieces of ${size}, which nobody keeps`)
  }
  t.strictSame(hear(MESSAGES, 1).told, TOLD)
  t.strictSame(hearOfWs(MESSAGES).told, TOLD)
  t.notOk(hear(frame('TEXT', 'x'), 10).reader.midway)
  t.ok(hear(frame('TEXT', 'x').subarray(0, 2), 10).reader.midway)
  t.ok(hear(frame('TEXT', 'x', { fin: false }), 10).reader.midway, 'between two fragments')
})

t.test('the limit is that of each message, whatever came before', async (t) => {
  const halves = (text) => [frame('TEXT', text.slice(0, 100), { fin: false }), frame('PING', 'within'), frame('CONTINUATION', text.slice(100))]
  const whole = 'x'.repeat(300)
  const inflater = () => new Inflater(readAgreement('permessage-deflate'))
  for (const [name, all, opts] of [
    ['messages', [whole, whole, whole].map((text) => frame('TEXT', text))],
    ['short ones', ['a', 'b', 'c'].map((text) => frame('TEXT', text.repeat(120)))],
    ['bytes', [whole, 'a', whole].map((text) => frame('BINARY', text))],
    ['in fragments', [whole, whole, whole].flatMap(halves)],
    ['compressed', [whole, whole, whole].map((text) => frame('TEXT', deflate(Buffer.from(text)), { rsv: 0x40 })), { inflater }]
  ]) {
    for (const size of [1, 2, 7, 64, 299, 5000]) {
      const { told, code } = hear(Buffer.concat(all), size, { limit: 300, ...(opts && { inflater: opts.inflater() }) })
      t.same([told.filter(([kind]) => kind !== 'ping').length, code], [3, null], `${name}, in pieces of ${size}`)
    }
  }
})

t.test('equal messages in one packet are counted together, if each is short, complete and valid', async (t) => {
  const equalIn = (bytes, { most = 9, end = bytes.length, limit = 1000, before = Buffer.alloc(0) } = {}) => {
    const { reader } = hear(before, 1, { limit })
    const count = reader.countEqual(bytes, 0, end, most)
    return count === 0 ? [0] : [count, reader.equalLength]
  }
  const three = Buffer.concat([frame('TEXT', 'abc'), frame('TEXT', 'abc'), frame('TEXT', 'abc')])
  t.same([
    equalIn(three), equalIn(three, { most: 2 }), equalIn(three, { end: 14 }), equalIn(three, { end: 4 }), equalIn(three, { limit: 2 }),
    equalIn(Buffer.concat([three, frame('TEXT', 'abd')])), equalIn(frame('BINARY', Buffer.of(255, 254))), equalIn(frame('TEXT', '')),
    equalIn(frame('TEXT', Buffer.of(255, 254))), equalIn(frame('TEXT', 'abc', { fin: false })), equalIn(frame('TEXT', 'abc', { size: 16 })),
    equalIn(frame('TEXT', 'abc', { rsv: 0x40 })), equalIn(frame('PING', 'abc')), equalIn(three, { before: three.subarray(0, 1) }),
    equalIn(three, { before: frame('TEXT', 'a', { fin: false }) })
  ], [[3, 5], [2, 5], [2, 5], [0], [0], [1, 5], [1, 4], [1, 2], [0], [0], [0], [0], [0], [0], [0]])
})

// What RFC 6455 forbids, with its close codes.
const VIOLATIONS = [
  ['a mask', 1002, frame('TEXT', 'x', { mask: Buffer.of(1, 2, 3, 4) })],
  ['a mask on nothing', 1002, frame('PING', '', { mask: Buffer.of(1, 2, 3, 4) })],
  ['RSV1 without compression', 1002, frame('TEXT', 'x', { rsv: 0x40 })],
  ['RSV2', 1002, frame('TEXT', 'x', { rsv: 0x20 })],
  ['RSV3', 1002, frame('PING', 'x', { rsv: 0x10 })],
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => [`the opcode ${opcode}`, 1002, frame(opcode, 'x')]),
  ['a Ping in fragments', 1002, frame('PING', 'x', { fin: false })],
  ['a Close frame in fragments', 1002, frame('CLOSE', '', { fin: false })],
  ['a long Ping', 1002, frame('PING', 'x'.repeat(126))],
  ['a long Pong', 1002, frame('PONG', '', { size: 64 })],
  ['a continuation of nothing', 1002, frame('CONTINUATION', 'x')],
  ['a message within a message', 1002, Buffer.concat([frame('TEXT', 'a', { fin: false }), frame('TEXT', 'b')])],
  ['half a code', 1002, frame('CLOSE', 'x')],
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535].map((code) => [`the code ${code}`, 1002, frame('CLOSE', Buffer.of(code >> 8, code & 255))]),
  ['a reason that is no text', 1007, frame('CLOSE', Buffer.of(3, 232, 0xc3, 0x28))],
  ['a text that is none', 1007, frame('TEXT', Buffer.of(0xc3, 0x28))],
  ['a long text that is none', 1007, frame('TEXT', Buffer.concat([Buffer.from(LONG), Buffer.of(0xed, 0xa0, 0x80)]))],
  ['a character that is cut off', 1007, frame('TEXT', Buffer.from('€').subarray(0, 2))],
  ['a character that ends in no fragment', 1007, Buffer.concat([frame('TEXT', Buffer.from('€').subarray(0, 2), { fin: false }), frame('CONTINUATION', 'x')])],
  ['a long message', 1009, frame('TEXT', 'x'.repeat(301))],
  ['a message that is only announced', 1009, frame('BINARY', '', { length: 2 ** 40 })],
  ['more than can be counted', 1009, frame('BINARY', '', { length: 2n ** 63n, size: 64 })],
  ['a long message in fragments', 1009, Buffer.concat([frame('TEXT', 'x'.repeat(200), { fin: false }), frame('CONTINUATION', 'y'.repeat(101))])]
]

t.test('each violation has its code, wherever it is split, and earlier messages count', async (t) => {
  for (const [name, code, bytes] of VIOLATIONS) {
    const input = Buffer.concat([frame('TEXT', 'before'), bytes, frame('TEXT', 'behind')])
    for (let size = 1; size <= input.length; size++) {
      for (const wantsPayload of [true, false]) {
        const heard = hear(input, size, { limit: 300, wantsPayload })
        if (heard.code !== code || heard.told.length !== 1) t.same([heard.code, heard.told], [code, 'the message before'], `${name}, pieces of ${size}`)
      }
    }
    const heard = hear(input, 1000, { limit: 300 })
    t.equal(heard.code, code, `${name}: ${heard.problem}`)
    t.same(heard.told, [['text', 'before']])
    t.equal(hearOfWs(input, { limit: 300 }).code, code, 'as in ws')
  }
})

t.test('unusual but valid frames', async (t) => {
  for (const code of [1000, 1003, 1007, 1012, 1014, 3000, 4999]) t.same(hear(frame('CLOSE', Buffer.of(code >> 8, code & 255)), 100).told, [['close', code, '']])
  t.same(hear(frame('CLOSE'), 1).told, [['close', 1005, '']])
  t.same(hear(frame('TEXT', 'x', { size: 64 }), 1).told, [['text', 'x']], 'a length with more bytes than necessary')
  t.same(hear(frame('TEXT', 'x'.repeat(300)), 9, { limit: 300 }).told.length, 1, 'as long as allowed')
})

t.test('unneeded messages are not kept, and an announced length costs no memory before the data arrives', async (t) => {
  const unseen = hear(frame('TEXT', 'x'.repeat(100_000)), 1000, { wantsPayload: false })
  t.equal(unseen.reader.kept, null)
  t.same(unseen.told, [['text', 100_000]])
  const announced = hear(Buffer.concat([frame('BINARY', '', { length: 90 * 2 ** 20 }), Buffer.alloc(10)]), 100, { limit: 100 * 2 ** 20 })
  t.ok(announced.reader.kept.length <= 1024)
})

t.test('UTF-8: the same verdict as Node, in one piece and split anywhere', async (t) => {
  const check = new TextCheck()
  const isTextInPieces = (bytes, size) => {
    check.reset()
    for (let start = 0; start < bytes.length; start += size) check.add(bytes, start, Math.min(bytes.length, start + size))
    return check.isWhole
  }
  const wrong = []
  const compare = (bytes) => {
    const expected = isUtf8(bytes)
    if (isText(bytes, 0, bytes.length) !== expected) wrong.push(bytes.toString('hex'))
    for (const size of [1, 2, 3]) if (isTextInPieces(bytes, size) !== expected) wrong.push(`${bytes.toString('hex')} in pieces of ${size}`)
  }
  // All pairs of bytes; after each first byte of three or four, all second ones with valid and invalid rest.
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 256; second++) {
      compare(Buffer.of(first, second))
      if (first >= 0xe0) for (const end of [[0x80], [0xbf], [0x7f], [0x80, 0xbf], [0x80, 0xc0], [0xbf, 0x80, 0x41]]) compare(Buffer.of(first, second, ...end))
    }
  }
  t.same(wrong, [])
})

t.test('compressed messages: with and without context takeover, in pieces, too long, and empty', async (t) => {
  const first = deflate(Buffer.from(WIDE))
  // As servers with context takeover do: one stream for all messages.
  const stream = zlib.createDeflateRaw()
  const bytes = []
  const texts = [WIDE, `${WIDE}again`, 'x'.repeat(70_000), `${WIDE}x`, LONG]
  for (const text of texts) {
    stream.write(text)
    await new Promise((resolve) => stream.flush(zlib.constants.Z_SYNC_FLUSH, resolve))
    const whole = stream.read()
    bytes.push(frame('TEXT', whole.subarray(0, whole.length - 4), { rsv: 0x40 }))
  }
  stream.destroy()
  for (const size of [1, 2, 3, 100, 1e6]) {
    const agreement = readAgreement('permessage-deflate')
    const { told, problem } = hear(Buffer.concat(bytes), size, { inflater: new Inflater(agreement) })
    t.same(told, texts.map((text) => ['text', latin(text)]), problem)
  }
  const alone = () => new Inflater(readAgreement('permessage-deflate; server_no_context_takeover'))
  const split = Buffer.concat([frame('TEXT', first.subarray(0, 9), { rsv: 0x40, fin: false }), frame('PING', 'x'), frame('CONTINUATION', first.subarray(9)), frame('TEXT', 'plain')])
  for (const size of [1, 5, 1000]) t.same(hear(split, size, { inflater: alone() }).told, [['ping', 'x'], ['text', latin(WIDE)], ['text', 'plain']])
  const bomb = frame('BINARY', deflate(Buffer.alloc(10_000_000)), { rsv: 0x40 })
  t.equal(hear(bomb, 1000, { inflater: alone(), limit: 100_000 }).code, 1009, 'a bomb')
  t.equal(hear(frame('TEXT', 'not compressed at all', { rsv: 0x40 }), 1000, { inflater: alone() }).code, 1007)
  t.equal(hear(frame('TEXT', deflate(Buffer.of(0xff)), { rsv: 0x40 }), 1000, { inflater: alone() }).code, 1007, 'compressed, and not text')
  t.equal(hear(frame('PING', '', { rsv: 0x40 }), 1000, { inflater: alone() }).code, 1002)
  t.equal(hear(Buffer.concat([frame('TEXT', first, { rsv: 0x40, fin: false }), frame('CONTINUATION', '', { rsv: 0x40 })]), 1000, { inflater: alone() }).code, 1002)
})

t.test('the examples of RFC 7692, section 7.2.3, and other encodings: uncompressed blocks, several blocks, a final block', async (t) => {
  const hello = [
    'f248cdc9c90700', // one block
    '000500faff48656c6c6f00', // not compressed
    'f348cdc9c9070000', // a final block, and an empty one
    'f248050000 00ffffcac9c90700'.replace(' ', '') // two blocks
  ]
  const inflater = () => new Inflater(readAgreement('permessage-deflate'))
  for (const hex of hello) t.same(hear(frame('TEXT', Buffer.from(hex, 'hex'), { rsv: 0x40 }), 1, { inflater: inflater() }).told, [['text', 'Hello']], hex)
  // The second one refers to the first (section 7.2.3.2); between them an empty one, and an uncompressed one.
  const shared = [frame('TEXT', Buffer.from(hello[0], 'hex'), { rsv: 0x40 }), frame('TEXT', Buffer.of(0), { rsv: 0x40 }), frame('TEXT', 'plain'), frame('TEXT', Buffer.from('f200110000', 'hex'), { rsv: 0x40 })]
  for (const size of [1, 7, 1000]) t.same(hear(Buffer.concat(shared), size, { inflater: inflater() }).told, [['text', 'Hello'], ['text', ''], ['text', 'plain'], ['text', 'Hello']])
})

t.test('the limit applies to the decompressed message, however it was compressed', async (t) => {
  const noise = Buffer.from(Array.from({ length: 20_000 }, (_, index) => Math.imul(index + 1, 2654435761) >>> 24))
  for (const options of [{}, { level: 0 }, { memLevel: 1 }, { strategy: zlib.constants.Z_FIXED }]) {
    for (const length of [1, 10, 1000, 20_000]) {
      const whole = zlib.deflateRawSync(noise.subarray(0, length), { finishFlush: zlib.constants.Z_SYNC_FLUSH, ...options })
      const bytes = frame('BINARY', whole.subarray(0, -4), { rsv: 0x40 })
      const inflater = () => new Inflater(readAgreement('permessage-deflate'))
      t.same(hear(bytes, 9999, { limit: length, inflater: inflater() }).told.length, 1, `${length} octets, compressed ${whole.length}`)
      if (length > 1) t.equal(hear(bytes, 9999, { limit: length - 1, inflater: inflater() }).code, 1009)
    }
  }
})

t.test('a message may be as large as the limit, in every form, and not one byte larger', async (t) => {
  const forms = {
    'a frame': (text) => frame('TEXT', text),
    'its length in 16 bits': (text) => frame('TEXT', text, { size: 16 }),
    'its length in 64 bits': (text) => frame('BINARY', text, { size: 64 }),
    'in fragments': (text) => Buffer.concat([frame('TEXT', text.slice(0, 4), { fin: false }), frame('CONTINUATION', text.slice(4))])
  }
  for (const [form, write] of Object.entries(forms)) {
    for (const length of [10, 130]) {
      for (const size of [1, 7, 1000]) {
        const fits = hear(write('x'.repeat(length)), size, { limit: length })
        t.same([fits.told.map(([, text]) => text.length), fits.code], [[length], null], `${form}, ${length}`)
        t.equal(hear(write('x'.repeat(length + 1)), size, { limit: length }).code, 1009, `${form}, ${length + 1}`)
      }
    }
  }
  // The announced length counts, with all 64 bits.
  const { code, told } = hear(frame('TEXT', 'hello', { size: 64, length: 2 ** 32 + 5 }), 1000)
  t.same([code, told], [1009, []])
})

t.test('the parameters that a server may agree on', async (t) => {
  t.same(readAgreement('permessage-deflate'), { windowBits: 15, forgets: false, ownWindowBits: 15 })
  t.same(readAgreement('permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9'), { windowBits: 9, forgets: true, ownWindowBits: 15 })
  t.same(readAgreement('permessage-deflate; server_max_window_bits="10"'), { windowBits: 10, forgets: false, ownWindowBits: 15 })
  t.same(readAgreement('Permessage-Deflate;client_max_window_bits = "8" ; server_max_window_bits=12'), { windowBits: 12, forgets: false, ownWindowBits: 8 })
  for (const bad of [
    'x-webkit-deflate-frame', 'permessage-deflate, permessage-deflate', 'permessage-deflate; client_max_window_bits', 'permessage-deflate; server_max_window_bits=16',
    'permessage-deflate; client_max_window_bits=7', 'permessage-deflate; client_max_window_bits=08', 'permessage-deflate; client_max_window_bits="10',
    'permessage-deflate; client_max_window_bits=9; client_max_window_bits=9', 'permessage-deflate; client_no_context_takeover=8',
    'permessage-deflate; server_max_window_bits', 'permessage-deflate; unknown', 'permessage-deflate; server_no_context_takeover=1', 'permessage-deflate;',
    'permessage-deflate; server_no_context_takeover; server_no_context_takeover'
  ]) t.equal(readAgreement(bad), null, bad)
})

t.test('a response must match the offer: demands are confirmed, and nothing is requested that was not offered', async (t) => {
  const all = { windowBits: 15, forgets: false, ownWindowBits: 15 }
  const [plain, own, forget, window] = ['', '; client_max_window_bits', '; server_no_context_takeover', '; server_max_window_bits'].map((rest) => `permessage-deflate${rest}`)
  for (const [offer, answer, agreement] of [
    [plain, own + '=10', null],
    [own + '=10', plain, { ...all, ownWindowBits: 10 }],
    [own + '=10', own + '=12', { ...all, ownWindowBits: 10 }],
    [own + '=10', own + '=9', { ...all, ownWindowBits: 9 }],
    [forget, plain, null],
    [forget, forget, { ...all, forgets: true }],
    [plain, forget, { ...all, forgets: true }],
    [window + '=10', plain, null],
    [window + '=10', window + '=11', null],
    [window + '=10', window + '=9', { ...all, windowBits: 9 }],
    [plain, window + '=9', { ...all, windowBits: 9 }],
    // Of several offers a server may accept any.
    [`${forget}, ${own}`, own + '=10', { ...all, ownWindowBits: 10 }],
    [`x-other; a=b, ${plain}`, plain, all],
    ['x-other', plain, null]
  ]) t.same(readAgreement(answer, offer), agreement, `${answer} to ${offer}`)
  const problemOf = (answer) => Opening.prototype.problemOfExtensions.call({ headers: new Map() }, answer)
  t.same([undefined, '', ' ', plain].map(problemOf), [null, null, null, `it chose the extension ${plain}, which was not requested`], 'an empty list chooses nothing')
})

t.test('what is sent does not refer back beyond the agreed window', async (t) => {
  // The same 200 bytes repeatedly, after ever more different data: matches at every distance.
  const words = (from, count) => Array.from({ length: count }, (_, index) => Math.imul(from + index, 2654435761) >>> 0).join(' ')
  const repeated = words(1, 20)
  const payload = Buffer.from(Array.from({ length: 60 }, (_, index) => repeated + words(1000 * index, index * 12)).join('') + 'x'.repeat(3000))
  for (const bits of [8, 9, 10, 11, 12, 13, 14, 15]) {
    const bytes = Buffer.concat([deflate(payload, bits), Buffer.of(0, 0, 0xff, 0xff)])
    // With room for 64 bytes at a time, zlib can refer back only to its window.
    const read = zlib.inflateRawSync(bytes, { windowBits: bits, chunkSize: 64, finishFlush: zlib.constants.Z_SYNC_FLUSH })
    t.ok(read.equals(payload), `2 ** ${bits}`)
  }
  const tooFar = Buffer.concat([deflate(payload, 15), Buffer.of(0, 0, 0xff, 0xff)])
  t.throws(() => zlib.inflateRawSync(tooFar, { windowBits: 9, chunkSize: 64, finishFlush: zlib.constants.Z_SYNC_FLUSH }), { code: 'Z_DATA_ERROR' }, 'which a peer notices')
})

t.test('a server that refers back further than agreed violates the protocol', async (t) => {
  const words = Buffer.from(Array.from({ length: 40 }, (_, index) => Math.imul(index + 1, 2654435761) >>> 0).join(' '))
  const second = (distance) => zlib.deflateRawSync(words.subarray(0, 60), { dictionary: Buffer.concat([words, Buffer.alloc(distance, 'x')]), finishFlush: zlib.constants.Z_SYNC_FLUSH }).subarray(0, -4)
  const codeOf = (answer, distance) => {
    const messages = [words, Buffer.alloc(distance, 'x')].filter(({ length }) => length > 0).map((text) => frame('TEXT', deflate(text), { rsv: 0x40 }))
    return hear(Buffer.concat([...messages, frame('TEXT', second(distance), { rsv: 0x40 })]), 1e6, { inflater: new Inflater(readAgreement(answer)) }).code
  }
  t.equal(codeOf('permessage-deflate', 0), null)
  t.equal(codeOf('permessage-deflate', 10_000), null)
  t.equal(codeOf('permessage-deflate; server_no_context_takeover', 0), 1007)
  t.equal(codeOf('permessage-deflate; server_max_window_bits=9', 0), null)
  t.equal(codeOf('permessage-deflate; server_max_window_bits=9', 600), 1007)
})

t.test('of all earlier messages of a server, exactly its window is kept', async (t) => {
  for (const windowBits of [8, 9, 15]) {
    const size = 2 ** windowBits
    const inflater = new Inflater({ windowBits, forgets: false })
    let all = Buffer.alloc(0)
    const lengths = [1, 0, size - 2, 1, 1, size - 1, 3, size, size + 1, 2, size / 2, size / 2, size / 2]
    const isKept = lengths.map((length, index) => {
      const message = Buffer.from(Array.from({ length }, (_, place) => place + index))
      all = Buffer.concat([all, message])
      return inflater.inflate(deflate(message), size * 2).equals(message) && inflater.history.equals(all.subarray(-size))
    })
    t.same(isKept, lengths.map(() => true), `${size} bytes`)
  }
})
