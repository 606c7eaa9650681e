'use strict'

const t = require('tap')
const assert = require('node:assert/strict')
const fc = require('../../support/fast-check')
const { playInWorld } = require('../../support/play-in-world')
const HeadMemo = require('../../../lib/protocol/http1/head-memo')
const { Head, parseHead } = require('../../../lib/http/head')
const { Collector, cut } = require('./collector')
const { head } = require('./fixtures')

function bytesOf ({ status, fields, body, informational }) {
  const before = informational ? head('HTTP/1.1 103 Early Hints') : ''
  return Buffer.from(before + head(`HTTP/1.1 ${status} OK`, ...fields, `Content-Length: ${body.length}`) + body)
}

const responses = fc.record({
  status: fc.constantFrom(200, 200, 200, 404),
  // Heads that are equal, differ in one byte, or are longer by some bytes.
  fields: fc.subarray(['Server: a', 'Server: b', 'X-A: 1', `X-Long: ${'x'.repeat(1100)}`]),
  body: fc.constantFrom('', 'a', 'ab', 'HTTP/1.1 200 OK\r\n'),
  informational: fc.boolean()
})

// Repeats each of a few different heads for a while.
const runs = fc.array(fc.tuple(responses, fc.integer({ min: 1, max: 15 })), { minLength: 1, maxLength: 12 })
const streams = runs.map((list) => list.flatMap(([response, times]) => Array(times).fill(bytesOf(response))))
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 30, max: 3000 })), { minLength: 1, maxLength: 20 })

t.test('the memo makes no difference, also if several connections share it', async (t) => {
  let recognised = 0
  class CountingMemo extends HeadMemo {
    matches (...args) {
      const matches = super.matches(...args)
      if (matches) recognised++
      return matches
    }
  }
  fc.assert(fc.property(fc.array(fc.tuple(streams, sizes), { minLength: 1, maxLength: 4 }), (connections) => {
    const memo = new CountingMemo()
    const collectors = connections.map(([stream]) => [true, false].map((fast) => new Collector(stream.map(() => 'GET'), { memo, fast })))
    const packets = connections.map(([stream, sizes]) => cut(Buffer.concat(stream), sizes))
    // Packet by packet in turn, as they arrive.
    for (let turn = 0; turn < Math.max(...packets.map(({ length }) => length)); turn++) {
      packets.forEach((pieces, index) => {
        if (turn < pieces.length) collectors[index].forEach((collector) => collector.receive(pieces[turn]))
      })
    }
    collectors.forEach(([fast, full], index) => {
      assert.equal(fast.responses.length, connections[index][0].length)
      assert.deepEqual(fast.end(), full.end())
      assert.deepEqual(fast.responses, full.responses)
    })
  }), { numRuns: 80 })
  t.ok(recognised > 530, `${recognised} heads were recognised`)
})

t.test('a head is recognized only when it is complete', async (t) => {
  const bytes = Buffer.from(head('HTTP/1.1 200 OK', 'Content-Length: 0'))
  const memo = remembering(bytes)
  t.ok(memo.matches(bytes, 0, bytes.length))
  t.ok(memo.matches(Buffer.concat([Buffer.from('xyz'), bytes, bytes]), 3, 2 * bytes.length + 3))
  for (let length = 0; length < bytes.length; length++) {
    if (memo.matches(bytes, 0, length)) t.fail(`${length} bytes`)
    const other = Buffer.from(bytes)
    other[length] ^= 1
    if (memo.matches(other, 0, other.length)) t.fail(`byte ${length}`)
  }
  t.notOk(new HeadMemo().matches(bytes, 0, bytes.length), 'nothing is recognized before')
})

t.test('a head resembles the remembered one only if it means the same, and differs in nothing but the values of fields that are not read', async (t) => {
  const lines = ['HTTP/1.1 200 OK', 'Date: Mon, 23 Nov 2026 12:00:00 GMT', 'Connection: keep-alive', 'X-Folded: a', '  b: c', 'Content-Encoding: gzip',
    'Content-Length: 13', 'Content-Lengths: 1', 'Id:7']
  const unread = ['Mon, 23 Nov 2026 12:00:00 GMT', ' a', ' 1', '7']
  const bytes = Buffer.from(head(...lines))
  const parsed = new Head()
  // It remembered another head before, and which of its values are not read.
  const memo = remembering(Buffer.from(head('HTTP/1.1 200 OK', `X: ${'x'.repeat(300)}`)))
  t.ok(memo.resembles(Buffer.from(head('HTTP/1.1 200 OK', `X: ${'x'.repeat(299)}y`)), 0, 324))
  remembering(bytes, parsed, memo)
  const resembling = new Set()
  for (let place = 0; place < bytes.length; place++) {
    for (const byte of [0, 9, 10, 13, 31, 32, 48, 49, 57, 58, 65, 97, 126, 127, 128, 160, 255]) {
      const other = Buffer.from(bytes)
      other[place] = byte
      if (byte === bytes[place] || !memo.resembles(other, 0, other.length)) continue
      resembling.add(`${place}: ${byte}`)
      const again = new Head()
      assert.deepEqual([parseHead(other, 0, other.length, again), again], [bytes.length, parsed])
    }
  }
  const placesOf = (value) => Array.from(value, (_, index) => bytes.lastIndexOf(value) + index)
  const places = unread.flatMap(placesOf).concat(bytes.indexOf(' Mon'))
  const texts = [9, 32, 48, 49, 57, 58, 65, 97, 126, 128, 160, 255]
  t.same(resembling, new Set(places.flatMap((place) => texts.filter((byte) => byte !== bytes[place]).map((byte) => `${place}: ${byte}`))))
})

t.test('if many heads resemble the remembered one in the same way, it takes over their values, and those it does not read', async (t) => {
  const dated = (second, id, length = 13) => Buffer.from(head('HTTP/1.1 200 OK', `Date: Mon, 23 Nov 2026 12:00:0${second} GMT`, `Content-Length: ${length}`, `Id: ${id}`))
  const first = dated(1, 100)
  const memo = remembering(first)
  t.equal(memo.head.fieldsIn(first, 0, first.length).toObject().date, 'Mon, 23 Nov 2026 12:00:01 GMT')
  const [second, unlike] = [dated(2, 222), dated(2, 222, 14)]
  t.notOk(memo.matches(second, 0, second.length))
  for (let count = 0; count < 100; count++) {
    const other = dated(2, 100 + count)
    if (!memo.resembles(other, 0, other.length)) t.fail(`${count}`)
  }
  for (let count = 0; count < 100; count++) {
    if (!memo.resembles(second, 0, second.length)) t.fail(`${count} of the same`)
  }
  t.ok(memo.matches(second, 0, second.length))
  t.equal(memo.head.fieldsIn(second, 0, second.length).toObject().date, 'Mon, 23 Nov 2026 12:00:02 GMT')
  t.notOk(memo.matches(first, 0, first.length))
  t.ok(memo.resembles(first, 0, first.length))
  t.notOk(memo.resembles(unlike, 0, unlike.length))
})

t.test('the memo does not change with the buffer or the object that the head was read into', async (t) => {
  const bytes = Buffer.from(head('HTTP/1.1 204 No', 'Connection: close'))
  const buffer = Buffer.from(bytes)
  const parsed = new Head()
  const memo = remembering(buffer, parsed)
  buffer.fill(0)
  parsed.clear()
  t.ok(memo.matches(bytes, 0, bytes.length))
  t.match(memo.head, { status: 204, close: true })
})

t.test('if heads always differ, the memo is not used for a while, then again', async (t) => {
  const memo = new HeadMemo()
  const same = Buffer.from(head('HTTP/1.1 200 OK', 'X: same'))
  for (let id = 0; id < 9; id++) remembering(Buffer.from(head('HTTP/1.1 200 OK', `X: ${id}`)), new Head(), memo)
  let unseen = 0
  while (!memo.matches(same, 0, same.length) && unseen < 5000) {
    unseen++
    remembering(same, new Head(), memo)
  }
  t.ok(unseen > 100 && unseen < 5000, `${unseen} were parsed`)
  t.ok(memo.matches(same, 0, same.length))
})

t.test('a head of many kilobytes is not kept', async (t) => {
  const bytes = Buffer.from(head('HTTP/1.1 200 OK', `X: ${'x'.repeat(5000)}`))
  t.equal(remembering(bytes).bytes.length, 0)
})

function remembering (bytes, parsed = new Head(), memo = new HeadMemo()) {
  const end = parseHead(bytes, 0, bytes.length, parsed)
  memo.remember(bytes, 0, end, parsed)
  return memo
}

// The long head is not remembered, so what is compared with the body is the head of the response before.
t.test('a body that looks like a response is none, also if it arrives by itself', async (t) => {
  const usual = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  const quoting = { headers: { 'X-Filler': 'x'.repeat(1100) }, body: usual, bodyAfter: 5 }
  const { result, world } = await playInWorld(t, { answer: ({ number }) => number % 2 === 1 ? quoting : 200 }, { connections: 1, amount: 6 })
  t.match(result.accounting, { completed: 6, failed: 0 })
  t.same(world.log.map(({ sentAt, receivedAt }) => Math.round((receivedAt - sentAt) / 1000)), [0, 5, 0, 5, 0, 5])
  t.equal(result.latency.max, 5)
  t.equal(result.replySize.content, (2 + usual.length) / 2)
})
