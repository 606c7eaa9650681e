'use strict'

// The buffer in which requests are collected, compared with all that was added to it.

const t = require('tap')
const Outbox = require('../../../lib/protocol/http2/outbox')
const fc = require('../../support/fast-check')

// A request of so many octets, all with the number of its stream.
const wireOf = (length) => ({ length, write: (buffer, at, streamId) => { buffer.fill(streamId, at, at + length); return at + length } })

t.test('property: what is taken is what was added, whatever the system has written by then, and whatever its size', async (t) => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant('add'), fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 300 }) }, fc.constantFrom(65535, 65536, 65537, 140_000))) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('take'), fc.boolean()) }
  )
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const outbox = new Outbox()
    let expected = []
    // Pieces that the system has not written yet must not change.
    let onTheWay = []
    let streamId = 0
    for (const [what, value] of steps) {
      if (what === 'add') {
        streamId = streamId % 255 + 1
        const at = outbox.add(wireOf(value), streamId)
        if (outbox.buffer[at] !== streamId || outbox.view.buffer !== outbox.buffer.buffer) return false
        expected.push(Buffer.alloc(value, streamId))
        continue
      }
      const piece = outbox.take()
      const all = Buffer.concat(expected)
      if (expected.length === 0 ? piece !== null : Buffer.compare(piece, all) !== 0) return false
      if (onTheWay.some(({ piece, content }) => Buffer.compare(piece, content) !== 0)) return false
      if (piece === null) continue
      if (value) onTheWay = []
      else onTheWay.push({ piece, content: all })
      outbox.written({ writableLength: value ? 0 : 1 })
      expected = []
    }
    return true
  }), { numRuns: 100 })
})

t.test('the same space, and the same piece, are used again for requests of the same length', async (t) => {
  const outbox = new Outbox()
  const { buffer } = outbox
  const pieces = [100, 100, 200, 100].map((length) => {
    t.equal(outbox.add(wireOf(length), 1), 0)
    const piece = outbox.take()
    outbox.written({ writableLength: 0 })
    return piece
  })
  t.same(pieces.map((piece) => piece === pieces[0]), [true, true, false, false])
  for (const length of [65536, 1]) {
    outbox.add(wireOf(length), 1)
    t.equal(outbox.buffer === buffer, length === 65536, 'as much as there is room for')
  }
  t.equal(outbox.buffer.length, 2 * 65537)
  outbox.take()
  outbox.written({ writableLength: 5 })
  t.equal(outbox.take(), null)
  t.equal(outbox.add(wireOf(10), 2), 65537, 'behind what is on its way')
  t.equal(outbox.take().length, 10)
})
