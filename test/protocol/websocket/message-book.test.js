'use strict'

// The records of messages in flight, compared with plain arrays.

const assert = require('node:assert')
const t = require('tap')
const MessageBook = require('../../../lib/protocol/websocket/message-book')
const fc = require('../../support/fast-check')

class Model {
  constructor () {
    this.waiting = []
    this.inFlight = []
  }

  find (id) {
    return this.inFlight.find((message) => message.id === id)
  }

  remove (message) {
    this.inFlight.splice(this.inFlight.indexOf(message), 1)
    return message
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('send'), fc.constantFrom(undefined, 'a', 'b', 'c', 'd')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('prepare'), fc.constant(0)) },
  fc.tuple(fc.constant('take'), fc.constant(0)),
  { weight: 2, arbitrary: fc.tuple(fc.constant('answer'), fc.constantFrom('a', 'b', 'c', 'd')) },
  fc.tuple(fc.constant('remove'), fc.nat(30)),
  fc.tuple(fc.constant('unprepare'), fc.constant(0)),
  fc.tuple(fc.constant('dropPrepared'), fc.nat(5))
)

t.test('property: whatever is sent, answered and returned, each message keeps its times and its position', async (t) => {
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
    const book = new MessageBook()
    const model = new Model()
    let time = 0
    let most = 0
    const agree = (slot, message) => {
      assert.strictEqual(slot, message.slot)
      assert.deepStrictEqual([book.dueAt[slot], book.sentAt[slot], book.endpoint[slot]], [message.dueAt, message.sentAt, message.endpoint])
      assert.strictEqual(book.lastTaken, slot)
    }
    const play = {
      prepare () {
        time++
        book.prepare(time)
        model.waiting.push(time)
      },
      send (id) {
        if (model.waiting.length === 0) play.prepare()
        time++
        assert.strictEqual(book.nextPrepared, model.waiting[0])
        const slot = book.send(time % 7, time)
        model.inFlight.push({ slot, id, dueAt: model.waiting.shift(), sentAt: time, endpoint: time % 7 })
        if (id !== undefined) book.name(slot, id)
      },
      take () {
        if (model.inFlight.length === 0) return
        assert.strictEqual(book.head, model.inFlight[0].slot)
        agree(book.take(), model.inFlight.shift())
      },
      answer (id) {
        const message = model.find(id)
        const slot = book.find(id)
        assert.strictEqual(slot, message?.slot ?? MessageBook.NONE)
        if (message !== undefined) agree(book.remove(slot), model.remove(message))
      },
      remove (which) {
        const message = model.inFlight[which]
        if (message !== undefined) agree(book.remove(message.slot), model.remove(message))
      },
      unprepare () { if (model.waiting.length > 0) assert.strictEqual(book.unprepare(), model.waiting.pop()) },
      dropPrepared (which) {
        if (which < model.waiting.length) assert.strictEqual(book.dropPrepared(which), model.waiting.splice(which, 1)[0])
      }
    }
    for (const [what, value] of steps) {
      play[what](value)
      assert.deepStrictEqual([book.inFlight, book.prepared], [model.inFlight.length, model.waiting.length])
      assert.deepStrictEqual(book.slotsInFlight, model.inFlight.map(({ slot }) => slot))
      assert.strictEqual(new Set(book.slotsInFlight).size, book.inFlight)
      most = Math.max(most, book.inFlight)
    }
    while (model.inFlight.length > 0) play.take()
    assert.strictEqual(book.slots.size, 0, 'no id is left behind')
    assert.ok(book.capacity <= Math.max(8, 2 * most), `${book.capacity} slots for ${most} messages`)
  }), { numRuns: 100 })
})
