'use strict'

const t = require('tap')
const LineCounter = require('../../../lib/protocol/stream/line-counter')
const { LONGEST_EVENT_BYTES } = require('../../../lib/protocol/stream/line-buffer')
const SseCounter = require('../../../lib/protocol/stream/sse-counter')
const { LineReader, SseReader } = require('../../../lib/protocol/stream/readers')
const { createRandom } = require('../../../lib/load/random')

// Stale bytes after the valid ones, which would be events of their own.
const BEHIND = Buffer.from('\n\ndata: stale\n\n')

/** What scanners make of bytes that arrive in these pieces: the number of events, and what a reader reports. */
function scan (scanner, pieces) {
  scanner.begin()
  let events = 0
  for (const piece of pieces) {
    const buffer = Buffer.concat([BEHIND, piece, BEHIND])
    events += scanner.scan(buffer, BEHIND.length, BEHIND.length + piece.length, Infinity)
    if (scanner.position !== BEHIND.length + piece.length) throw new Error('not all was read')
  }
  return events + scanner.end()
}

function read (Reader, pieces, before = Buffer.alloc(0)) {
  const told = []
  const reader = usedFor(new Reader((...event) => told.push(event)), before)
  told.length = 0
  const events = scan(reader, pieces)
  return { events, told }
}

// Streams that were read before, each up to another place within an event.
const BEFORE = ['id: 9\nevent: old\ndata: x\ndata: half', 'id: 9\ndata: x\n\n', '\xef\xbb', '\ufeff', 'data: [DON', 'data: [DONE]\n', 'data: x\r', 'da', 'data: x\n', 'a\nb\r', '\r', 'a', 'a\n'].map((text) => Buffer.from(text, text.startsWith('\xef') ? 'latin1' : 'utf8'))

/** The scanner, after it has read some of another stream. */
function usedFor (scanner, bytes) {
  scanner.begin()
  scanner.scan(bytes, 0, bytes.length, Infinity)
  return scanner
}

const SSE = [
  ['nothing', '', []],
  ['one event', 'data: a\n\n', [['message', 'a', '']]],
  ['without the space', 'data:a\n\n', [['message', 'a', '']]],
  ['only one space is left out', 'data:  a \n\n', [['message', ' a ', '']]],
  ['lines of data', 'data: a\ndata: b\n\n', [['message', 'a\nb', '']]],
  ['carriage returns', 'data: a\r\rdata: b\r\n\r\n', [['message', 'a', ''], ['message', 'b', '']]],
  ['all ends of lines', 'data: a\r\n\ndata: b\n\r\ndata: c\r\r\n\n', [['message', 'a', ''], ['message', 'b', ''], ['message', 'c', '']]],
  ['no data', 'event: ping\n\n', []],
  ['empty lines', '\n\n\r\n\r\r\n\n', []],
  ['empty data', 'data\n\ndata:\n\ndata: \n\n', [['message', '', ''], ['message', '', ''], ['message', '', '']]],
  ['comments', ': hello\n\n:data: x\n\ndata: a\n: more\n\n', [['message', 'a', '']]],
  ['other names', 'datum: x\n\ndata2: x\n\n data: x\n\nDATA: x\n\ndat: x\n\nd\n\n', []],
  ['types and ids', 'id: 1\nevent: add\ndata: a\n\ndata: b\n\nid\ndata: c\n\n', [['add', 'a', '1'], ['message', 'b', '1'], ['message', 'c', '']]],
  ['an id with a zero', 'id: 1\nid: 2\0\ndata: a\n\n', [['message', 'a', '1']]],
  ['the end of a language model', 'data: a\n\ndata: [DONE]\n\n', [['message', 'a', '']]],
  ['the same without the space', 'data:[DONE]\n\n', []],
  ['what only looks like it', 'data: [DONE] \n\ndata: [DONE\n\ndata:  [DONE]\n\ndata: [DONE]]\n\n', ['[DONE] ', '[DONE', ' [DONE]', '[DONE]]'].map((data) => ['message', data, ''])],
  ['with other data', 'data: [DONE]\ndata\n\ndata: a\ndata: [DONE]\n\n', [['message', '[DONE]\n', ''], ['message', 'a\n[DONE]', '']]],
  ['without the empty line', 'data: a\n\ndata: b\n', [['message', 'a', '']]],
  ['a byte order mark', '\ufeffdata: a\n\n', [['message', 'a', '']]],
  ['one that is not at the beginning', '\n\ufeffdata: a\n\n', []],
  ['two of them', '\ufeff\ufeffdata: a\n\n', []],
  ['letters of several bytes', 'data: größer 🚀\n\n', [['message', 'größer 🚀', '']]],
  ['a field of no name', ':\ndata: a\n\n', [['message', 'a', '']]]
]

const LINES = [
  ['nothing', '', []],
  ['lines', 'a\nb\n', ['a', 'b']],
  ['carriage returns', 'a\r\nb\r\n\r\n', ['a', 'b']],
  ['empty ones', '\n\n\r\na\n\n', ['a']],
  ['the last without an end', 'a\nb', ['a', 'b']],
  ['a carriage return at the very end', 'a\n\r', ['a']],
  ['carriage returns within', 'a\rb\n\r\r\n', ['a\rb', '\r']],
  ['a carriage return at the beginning', '\r\na\n', ['a']],
  ['a space is something', ' \n', [' ']],
  ['letters of several bytes', '{"é":"🚀"}\n', ['{"é":"🚀"}']]
]

function checkAll (t, Counter, Reader, cases) {
  for (const [name, text, expected] of cases) {
    const bytes = Buffer.from(text)
    const ways = [[bytes], [...bytes].map((byte) => Buffer.from([byte]))]
    for (let first = 1; first < bytes.length; first++) ways.push([bytes.subarray(0, first), bytes.subarray(first)])
    t.ok(ways.every((pieces) => scan(new Counter(), pieces) === expected.length), `${name}: counted, split anywhere`)
    t.strictSame([...new Set(ways.map((pieces) => JSON.stringify(read(Reader, pieces))))].map(JSON.parse), [{ events: expected.length, told: expected }], `${name}: read, split anywhere`)
    t.same(BEFORE.map((before) => scan(usedFor(new Counter(), before), [bytes])), BEFORE.map(() => expected.length), `${name}: counted after another stream`)
    t.strictSame(BEFORE.map((before) => read(Reader, [bytes], before)), BEFORE.map(() => ({ events: expected.length, told: expected })), `${name}: read after another stream`)
  }
}

t.test('server-sent events are those that the standard dispatches, however the bytes are split', async (t) => {
  checkAll(t, SseCounter, SseReader, SSE)
})

t.test('lines are the non-empty ones, however the bytes are split', async (t) => {
  checkAll(t, LineCounter, LineReader, LINES.map(([name, text, lines]) => [name, text, lines.map((line) => ['line', line, ''])]))
})

t.test('counter and reader agree on any bytes', async (t) => {
  const random = createRandom(7)
  const words = ['data', 'data', ':', ' ', '\n', '\n', '\r', '\r\n', '[DONE]', '[DO', 'x', 'id', 'event: y', '\ufeff', '\n\n', 'é']
  const pick = (length) => Math.floor(random.next() * length)
  let events = 0
  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(Array.from({ length: 1 + pick(20) }, () => words[pick(words.length)]).join(''))
    const at = pick(bytes.length + 1)
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
    for (const [Counter, Reader] of [[SseCounter, SseReader], [LineCounter, LineReader]]) {
      const counted = scan(new Counter(), pieces)
      const { events: number, told } = read(Reader, pieces)
      events += number
      if (counted !== number || told.length !== number) t.strictSame([counted, told.length], [number, number], JSON.stringify(bytes.toString()))
    }
  }
  t.ok(events > 1000, `${events} events`)
})

t.test('no more is read than requested', async (t) => {
  const cases = [[SseCounter, 'data: a\n\ndata: b\n\ndata: c\n\n', 18], [LineCounter, 'a\r\n\nb\nc', 6]]
  const twins = new Map([[SseCounter, SseReader], [LineCounter, LineReader]])
  for (const [Counter, text, position] of cases) {
    for (const scanner of [new Counter(), new (twins.get(Counter))(() => {})]) {
      const bytes = Buffer.from(text)
      t.equal(scanner.scan(bytes, 0, bytes.length, 2), 2)
      t.equal(scanner.position, position, 'it stops after the second one')
    }
  }
})

t.test('an event larger than any memory ends the reading', async (t) => {
  const megabyte = Buffer.alloc(2 ** 20, 'x')
  const count = LONGEST_EVENT_BYTES / megabyte.length
  for (const Reader of [SseReader, LineReader]) {
    const reader = new Reader(() => t.fail('there is no event'))
    for (let piece = 0; piece < count; piece++) reader.scan(megabyte, 0, megabyte.length, Infinity)
    t.equal(reader.problem, '')
    reader.scan(megabyte, 0, 1, Infinity)
    t.match(reader.problem, /longer than the 16777216 bytes/)
  }
  const lines = new SseReader(() => t.fail('there is no event'))
  const line = Buffer.concat([Buffer.from('data: '), megabyte, Buffer.from('\n')])
  for (let piece = 0; piece < count; piece++) lines.scan(line, 0, line.length, Infinity)
  t.match(lines.problem, /longer than/, 'nor one of many lines')
})
