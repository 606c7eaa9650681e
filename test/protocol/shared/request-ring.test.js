'use strict'

// The rings of several connections, which share their memory, compared with plain arrays.

const assert = require('node:assert')
const t = require('tap')
const RequestRing = require('../../../lib/protocol/shared/request-ring')
const fc = require('../../support/fast-check')

const RINGS = 5
const step = fc.tuple(fc.nat(RINGS - 1), fc.constantFrom('prepare', 'prepare', 'send', 'send', 'take', 'takeSeveral', 'unprepare', 'dropPrepared'), fc.nat(3))

t.test('property: each ring keeps its own requests in order, whatever the others do', async (t) => {
  fc.assert(fc.property(fc.constantFrom(1, 2, 3, 8, 20, 40), fc.array(step, { maxLength: 200 }), (depth, steps) => {
    const rings = Array.from({ length: RINGS }, () => ({ ring: new RequestRing(depth), flight: [], waiting: [] }))
    let time = 0
    for (const [which, what, number] of steps) {
      const { ring, flight, waiting } = rings[which]
      time += 0.5
      const isOld = ([dueAt, sentAt, endpoint], slot) => assert.deepStrictEqual([ring.dueAt[slot], ring.sentAt[slot], ring.endpoint[slot]], [dueAt, sentAt, endpoint])
      if (what === 'prepare' && flight.length + waiting.length < depth) {
        // Some come due at the same moment, and several leave at once.
        const dueAt = number === 0 ? time : Math.floor(time / 4)
        ring.prepare(dueAt)
        waiting.push(dueAt)
      } else if (what === 'send' && waiting.length > 0) {
        assert.strictEqual(ring.nextPrepared, waiting[0])
        const request = [waiting.shift(), Math.floor(time / 8), number]
        const slot = ring.send(number, request[1])
        flight.push(request)
        isOld(request, slot)
      } else if (what === 'take' && flight.length > 0) {
        isOld(flight[0], ring.head)
        isOld(flight.shift(), ring.take())
        assert.strictEqual(ring.slotAt(-1), ring.lastTaken)
      } else if (what === 'takeSeveral' && flight.length >= number) {
        ring.takeSeveral(number)
        flight.splice(0, number)
      } else if (what === 'unprepare' && waiting.length > 0) {
        assert.strictEqual(ring.unprepare(), waiting.pop())
      } else if (what === 'dropPrepared' && waiting.length > 0) {
        const place = number % waiting.length
        assert.strictEqual(ring.dropPrepared(place), waiting.splice(place, 1)[0])
      }
      for (const each of rings) {
        assert.deepStrictEqual(each.ring.preparedDues, each.waiting)
        assert.deepStrictEqual([each.ring.inFlight, each.ring.prepared], [each.flight.length, each.waiting.length])
        if (each.waiting.length > 0) assert.strictEqual(each.ring.nextPrepared, each.waiting[0])
        each.ring.slotsInFlight.forEach((slot, index) => {
          assert.deepStrictEqual([each.ring.dueAt[slot], each.ring.sentAt[slot], each.ring.endpoint[slot]], each.flight[index])
        })
        const alike = each.flight.findIndex((request) => request.join() !== each.flight[0].join())
        if (each.flight.length > 0) assert.strictEqual(each.ring.likeOldest, alike === -1 ? each.flight.length : alike)
      }
    }
  }), { numRuns: 200 })
})
