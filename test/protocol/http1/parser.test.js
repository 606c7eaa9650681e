'use strict'

const t = require('tap')
const assert = require('node:assert/strict')
const fc = require('../../support/fast-check')
const fixtures = require('./fixtures')
const { Collector, cut, outcome } = require('./collector')
const { head } = fixtures

// It computes for 15 seconds, which may take minutes on a shared machine.
t.setTimeout(600_000)

const LONG = 20000 // bytes; longer ones take too long one byte at a time
const EMPTY = { responses: [], informational: [], problem: '', isCutShort: false }

// From about one byte each to a few pieces in total.
const pieceSizes = (most) => fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 40 })
const someSizes = [20, 300, 40000].map(pieceSizes)
const anySizes = fc.oneof(pieceSizes(3), ...someSizes)
const sizesOfLong = fc.oneof(...someSizes)

function bytewise (bytes) {
  return cut(bytes, bytes.length > LONG ? [1, 331, 1024, 1, 1, 77] : [1])
}

// However the bytes of a fixture are split, the outcome must be the same.
function sameInAnyPieces ({ method, bytes }, expected, runs) {
  assert.deepEqual(outcome([method], bytewise(bytes)), expected)
  const isLong = bytes.length > LONG
  fc.assert(fc.property(isLong ? sizesOfLong : anySizes, (sizes) => {
    assert.deepEqual(outcome([method], cut(bytes, sizes)), expected)
  }), { numRuns: isLong ? 5 : runs })
}

// Neither the bytes before a response nor the 1xx count as part of it.
function bytesOf ({ bytes, skipped, informational }) {
  return bytes.length - (informational.length === 0 ? skipped : bytes.latin1Slice().search(/HTTP\/1\.\d [2-9]/))
}

function responseOf (fixture) {
  const { status, body, close, untilClose, informational } = fixture
  return { status, body, close, untilClose, informational, bytes: bytesOf(fixture) }
}

const withoutFields = ({ responses, ...others }) => ({ ...others, responses: responses.map(({ fields, ...response }) => response) })

for (const fixture of fixtures.valid) {
  t.test(`valid: ${fixture.name}`, async (t) => {
    const whole = outcome([fixture.method], [fixture.bytes])
    t.strictSame(withoutFields(whole), { ...EMPTY, responses: [responseOf(fixture)] })
    sameInAnyPieces(fixture, whole, 20)
  })
}

for (const fixture of fixtures.malformed) {
  t.test(`malformed: ${fixture.name}`, async (t) => {
    const whole = outcome([fixture.method], [fixture.bytes])
    t.match(whole.problem, fixture.problem)
    t.strictSame(whole, { ...EMPTY, problem: whole.problem, informational: fixture.informational ?? [] })
    sameInAnyPieces(fixture, whole, 20)
  })
}

for (const fixture of fixtures.cutShort) {
  t.test(`cut short: ${fixture.name}`, async (t) => {
    const whole = outcome([fixture.method], [fixture.bytes])
    t.strictSame(whole, { ...EMPTY, isCutShort: true })
    sameInAnyPieces(fixture, whole, 20)
  })
}

t.test('every prefix of a valid response is cut short or, if it lasts until close, complete', async (t) => {
  for (const { method, bytes, untilClose, skipped } of fixtures.valid.filter(({ bytes }) => bytes.length < 1000)) {
    for (let length = skipped + 1; length < bytes.length; length++) {
      const { responses, problem, isCutShort, informational } = outcome([method], [bytes.subarray(0, length)])
      if (problem !== '') t.fail(`${problem}: ${bytes.subarray(0, length).latin1Slice()}`)
      const isWhole = responses.length === 1 || isCutShort || informational.length > 0
      if (!isWhole || (responses.length === 1 && !untilClose)) t.fail(`${length} bytes of ${bytes.latin1Slice()}`)
    }
  }
  t.pass()
})

// --- several responses in one stream

const following = fixtures.valid.filter(({ untilClose, bytes }) => !untilClose && bytes.length < LONG)
const last = [...fixtures.valid, ...fixtures.malformed, ...fixtures.cutShort].filter(({ bytes }) => bytes.length < LONG)

const streams = fc.record({
  fixtures: fc.tuple(fc.array(fc.constantFrom(...following), { maxLength: 12 }), fc.constantFrom(...last)).map(([some, end]) => [...some, end]),
  sizes: anySizes
})

t.test('several responses in one stream parse as each one alone', async (t) => {
  fc.assert(fc.property(streams, ({ fixtures, sizes }) => {
    const bytes = Buffer.concat(fixtures.map(({ bytes }) => bytes))
    const alone = fixtures.map(({ method, bytes }) => outcome([method], [bytes]))
    const end = alone.at(-1)
    const merged = { ...end, responses: alone.flatMap(({ responses }) => responses) }
    const methods = fixtures.map(({ method }) => method)
    assert.deepEqual(outcome(methods, [bytes]), merged)
    assert.deepEqual(outcome(methods, cut(bytes, sizes)), merged)
    assert.deepEqual(outcome(methods, cut(bytes, sizes), { fast: false }), merged)
  }), { numRuns: 300 })
  t.pass()
})

t.test('all fixtures that allow further responses, in one stream, one byte at a time', async (t) => {
  const methods = following.map(({ method }) => method)
  const { responses, problem } = outcome(methods, cut(Buffer.concat(following.map(({ bytes }) => bytes)), [1]))
  t.equal(problem, '')
  t.strictSame(withoutFields({ responses }).responses, following.map(responseOf))
})

// --- single behaviors

t.test('header fields as passed to hooks', async (t) => {
  const lines = ['HTTP/1.1 200 OK', 'X-A:1', 'x-a: \t2\t ', 'Empty:', 'Long: one', '  two', '\tthree ', 'Latin: \xe9', 'Colons: a:b: c', 'Content-Length: 0']
  const bytes = Buffer.from(head(...lines), 'latin1')
  const [{ fields }] = outcome(['GET'], [bytes]).responses
  t.strictSame(fields, ['X-A', '1', 'x-a', '2', 'Empty', '', 'Long', 'one two three', 'Latin', '\xe9', 'Colons', 'a:b: c', 'Content-Length', '0'])
  t.strictSame(outcome(['GET'], cut(bytes, [1])).responses[0].fields, fields)
  const unix = Buffer.from('HTTP/1.1 200 OK\n ignored: 1\nX: y\nContent-Length: 0\n\n')
  t.strictSame(outcome(['GET'], [unix]).responses[0].fields, ['X', 'y', 'Content-Length', '0'])
})

t.test('a head in two packets, the second of them also full of body', async (t) => {
  const body = 'x'.repeat(200000)
  const bytes = Buffer.from(head('HTTP/1.1 200 OK', `Content-Length: ${body.length}`) + body)
  for (const first of [1, 17, 37, 40]) {
    const { problem, responses } = outcome(['GET'], [bytes.subarray(0, first), bytes.subarray(first)])
    t.equal(problem, '')
    t.ok(responses[0]?.body === body, `cut after ${first}`)
  }
})

t.test('an unsolicited response is detected at its first byte', async (t) => {
  const ok = fixtures.valid[0].bytes
  for (const more of [ok, ok.subarray(0, 1), Buffer.from('x'), Buffer.from(head('HTTP/1.1 103 Early Hints'))]) {
    const { responses, problem } = outcome(['GET'], [Buffer.concat([ok, more])])
    t.equal(responses.length, 1)
    t.match(problem, /never sent/)
    t.match(outcome(['GET'], [ok, more]).problem, /never sent/)
  }
  t.match(outcome([], [ok]).problem, /never sent/)
  t.equal(outcome(['GET'], [ok, Buffer.from('\r\n\r\n')]).problem, '', 'an empty line is ignored')
})

t.test('bytes that a connection received earlier are never parsed again', async (t) => {
  const ok = fixtures.valid[0].bytes
  const beginnings = [...fixtures.valid, ...fixtures.malformed, ...fixtures.cutShort].filter(({ bytes }) => bytes.length < 3000)
  for (const { method, bytes } of beginnings) {
    const collector = new Collector([method]).receive(bytes.subarray(0, bytes.length - 1))
    Object.assign(collector, { methods: ['GET'], responses: [], informational: [], isValid: true })
    collector.parser.reset()
    const { responses, problem } = collector.receive(ok).end()
    t.match({ responses, problem }, { responses: [{ status: 200, body: 'hello', bytes: ok.length }], problem: '' })
    t.equal(responses.length, 1)
  }
})

t.test('an owner that has stopped gets nothing more, whatever remains of the packet', async (t) => {
  const ok = fixtures.valid[0].bytes
  const collector = new Collector(['GET', 'GET', 'GET'])
  const onComplete = collector.onComplete
  collector.onComplete = function (...args) {
    onComplete.apply(this, args)
    if (this.responses.length === 2) this.parser.stopped = true
  }
  collector.receive(Buffer.concat([ok, ok, ok]))
  t.equal(collector.responses.length, 2)
  t.ok(collector.isValid)
})

t.test('an error that the owner finds in a body ends the response there', async (t) => {
  for (const name of ['Content-Length', 'chunked', 'until close']) {
    const { bytes } = fixtures.valid.find((fixture) => fixture.name === name)
    const collector = new Collector(['GET'])
    collector.onBody = function () { this.parser.fault = { message: 'too much' } }
    t.strictSame(collector.receive(bytes).end(), { ...EMPTY, problem: 'too much' })
  }
})

t.test('a response begins with its first byte, not with that of a 1xx before it', async (t) => {
  const collector = new Collector(['GET', 'GET', 'GET'])
  const pieces = ['HTTP/1.1 103 Early\r\n\r\n', 'HTT', 'P/1.1 200 OK\r\n', 'Content-Length: 2\r\n\r\no', 'kHTTP/1.1 204 No\r\n\r\n', '\r\n', 'HTTP/1.1 204 No\r\n\r\n']
  for (const piece of pieces) collector.receive(Buffer.from(piece))
  t.strictSame(collector.responses.map(({ firstByteAt }) => firstByteAt), [2, 5, 7])
})

t.test('a status line is complete when its line has ended, and the parts of a response are distinguished however they are split', async (t) => {
  const pieces = ['HTTP/1.1 200 OK', '\r', '\nTransfer-Encoding: chu', 'nked\r\n\r\n4;ext', '=1\r\nab', 'cd\r\n0;e\r', '\nT: 1\r', '\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Le', 'ngth: 2\r\n\r\no', 'k']
  const collector = new Collector(['GET', 'GET'])
  for (const piece of pieces) collector.receive(Buffer.from(piece))
  t.strictSame(collector.responses.map(({ parts }) => parts), [
    { statusLineAt: 3, headBytes: 47, contentBytes: 4, footerBytes: 8 },
    { statusLineAt: 9, headBytes: 38, contentBytes: 2, footerBytes: 0 }
  ])
})

t.test('a body larger than any memory is only counted', async (t) => {
  const collector = new Collector(['GET'])
  const bytes = Buffer.from(head('HTTP/1.1 200 OK', 'Content-Length: 999999999999999') + 'x')
  collector.receive(bytes)
  t.equal(collector.parser.remaining, 999999999999998)
  t.strictSame(collector.end(), { ...EMPTY, isCutShort: true })
})
