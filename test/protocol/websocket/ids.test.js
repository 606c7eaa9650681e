'use strict'

// Ids that identify the copies of a broadcast: an inserted id is found anywhere, and nothing else is.

const t = require('tap')
const BroadcastIds = require('../../../lib/protocol/websocket/broadcast-id')
const MatchedIds = require('../../../lib/protocol/websocket/matched-ids')
const fc = require('../../support/fast-check')

const RUN = 'abcdefgh0'
const found = ({ foundPart, foundNumber, foundDueAt }) => [foundPart, foundNumber, foundDueAt]

t.test('property: an id is found in any payload, by any part of the run, with all of its information', async (t) => {
  const padding = fc.string({ unit: fc.constantFrom('x', '0', '"', '{', 'a', 'ab'), maxLength: 40 })
  const dueAt = fc.integer({ min: 0, max: 36 ** 10 - 1 })
  fc.assert(fc.property(fc.nat(36 ** 2 - 1), fc.array(fc.tuple(padding, padding, dueAt), { minLength: 1, maxLength: 5 }), (part, messages) => {
    const sender = new BroadcastIds(RUN, part)
    const reader = new BroadcastIds(RUN, 0)
    return messages.every(([before, after, dueAt], number) => {
      const id = sender.next(dueAt)
      const bytes = Buffer.from(`##${before}${id}${after}##`)
      const isFound = id.length === BroadcastIds.LENGTH && sender.lastNumber === number && reader.find(bytes, 2, bytes.length - 2)
      return isFound && found(reader).join() === [part, number, dueAt].join()
    })
  }))
})

t.test('texts that are not ids of this run, or only part of one, are ignored', async (t) => {
  const id = new BroadcastIds(RUN, 3).next(1234567)
  const finds = (text, run = RUN, end = text.length) => new BroadcastIds(run, 0).find(Buffer.from(text), 0, end)
  t.equal(finds(id), true)
  t.equal(finds(id, 'abcdefgh1'), false)
  t.equal(finds(id.slice(0, -1)), false)
  t.equal(finds(`${id}x`, RUN, id.length - 1), false, 'the end is that of the payload')
  t.equal(finds(''), false)
  for (const place of [BroadcastIds.RUN_LENGTH, BroadcastIds.RUN_LENGTH + 2, id.length - 1]) t.equal(finds(`${id.slice(0, place)}-${id.slice(place + 1)}`), false, `no digit at ${place}`)
  t.equal(id.length, 28)
  t.ok(id.startsWith(RUN))
})

t.test('messages with ids chosen by the user: the newest with an id, as long as copies may arrive', async (t) => {
  const ids = new MatchedIds(2, 1000, 0)
  ids.add('a', 0)
  ids.add('b', 600_000)
  t.same([ids.find('a'), found(ids), ids.lastNumber], [true, [2, 0, 0], 1])
  t.same([ids.find('b'), found(ids)], [true, [2, 1, 600_000]])
  t.same([ids.find('c'), found(ids)], [false, [2, 1, 600_000]])
  ids.add('a', 700_000)
  t.same([ids.find('a'), found(ids)], [true, [2, 2, 700_000]])
  ids.add('d', 1_600_000)
  t.same(['a', 'b', 'd'].map((id) => ids.find(id)), [true, false, true], 'b is a second old')
  ids.add('e', 1_699_999)
  t.equal(ids.find('a'), true)
  ids.add('f', 1_700_000)
  t.equal(ids.find('a'), false)
})

t.test('the latest ids of the user are kept, however old they are', async (t) => {
  const ids = new MatchedIds(0, 1000, 3)
  for (const [index, id] of ['a', 'b', 'c'].entries()) ids.add(id, index * 10_000_000)
  t.same(['a', 'b', 'c'].map((id) => ids.find(id)), [true, true, true])
  ids.add('d', 30_000_000)
  t.same(['a', 'b', 'c', 'd'].map((id) => ids.find(id)), [false, true, true, true])
})
