'use strict'

// Events are sent separately from urgent messages of a run. The channel is tested without threads: posted messages arrive when the test
// says so.

const t = require('tap')
const { BACKLOG, IN_FLIGHT, EventReceiver, EventSender } = require('../../../lib/engine/parallel/event-channel')
const { simulate } = require('../../simulation/world')
const { until } = require('../../support/wait')

function sender () {
  const batches = []
  const sending = new EventSender((batch) => batches.push(batch))
  return { sending, batches, told: () => batches.flat().map(([, number]) => number) }
}

function numbers (count, from = 0) {
  return Array.from({ length: count }, (_, index) => from + index)
}

function addAll (sending, all) {
  for (const number of all) sending.add('response', number)
}

t.test('few events are sent together, slightly later', async (t) => {
  const { sending, batches } = sender()
  addAll(sending, numbers(3))
  t.equal(batches.length, 0)
  await until(() => batches.length > 0)
  t.same(batches, [[['response', 0], ['response', 1], ['response', 2]]])
})

t.test('a sender waits until its events were delivered, then drops and counts the excess', async (t) => {
  const { sending, batches, told } = sender()
  addAll(sending, numbers(IN_FLIGHT + BACKLOG + 7))
  t.equal(told().length, IN_FLIGHT)
  sending.heard(batches[0].length)
  t.equal(told().length, IN_FLIGHT + batches[0].length, 'as many more as were delivered')
  addAll(sending, numbers(1, -1))
  t.same(sending.end(), { told: IN_FLIGHT + BACKLOG + 1, leftOut: 7 })
  t.same(told(), [...numbers(IN_FLIGHT + BACKLOG), -1], 'in order, and the first ones')
  t.equal(sending.end().leftOut, 0, 'a phase counts only its own')
})

t.test('the number of events in transit is limited, also if batches were not full', async (t) => {
  const { sending, told } = sender()
  addAll(sending, numbers(IN_FLIGHT - 3))
  sending.send(IN_FLIGHT)
  addAll(sending, numbers(1000))
  sending.send(IN_FLIGHT)
  t.equal(told().length, IN_FLIGHT)
  sending.heard(10)
  t.equal(told().length, IN_FLIGHT + 10)
  sending.end()
})

function receiver (emit) {
  const heard = []
  const acknowledged = new Map()
  const receiving = new EventReceiver((event) => {
    heard.push(event)
    emit?.(event)
  }, (from, count) => acknowledged.set(from, (acknowledged.get(from) ?? 0) + count))
  return { receiving, heard, acknowledged }
}

t.test('a receiver delivers in order, acknowledges delivery, and holds events back until it is opened', async (t) => {
  const { receiving, heard, acknowledged } = receiver()
  receiving.take('a', ['a1', 'a2'])
  receiving.take('b', ['b1'])
  await new Promise((resolve) => setImmediate(resolve))
  t.same(heard, [])
  receiving.open()
  t.equal(await receiving.settle(new Map([['a', 2], ['b', 1]])), 0)
  t.same(heard, ['a1', 'a2', 'b1'])
  t.same([...acknowledged], [['a', 2], ['b', 1]])
})

t.test('other tasks run between slow listeners', (t) => simulate({}, async (world) => {
  const { receiving, heard } = receiver(() => world.hold(20))
  receiving.open()
  receiving.take('a', numbers(10))
  let heardByThen = null
  world.after(50, () => { heardByThen = heard.length })
  await receiving.settle(new Map([['a', 10]]))
  t.ok(heardByThen < 10, `${heardByThen} of 10`)
  t.equal(heard.length, 10)
}))

t.test('the end waits a limited time, for listeners and for missing batches', (t) => simulate({}, async (world) => {
  const { receiving, heard } = receiver(() => world.hold(200))
  receiving.open()
  receiving.take('a', numbers(100))
  const unheard = await receiving.settle(new Map([['a', 100], ['b', 5]]))
  t.equal(unheard, 105 - heard.length)
  t.ok(heard.length < 100)
  const before = heard.length
  receiving.take('b', numbers(5))
  receiving.take('b', ['of the next phase'])
  t.equal(await receiving.settle(new Map([['a', 100], ['b', 6]])), 0)
  t.same(heard.slice(before), ['of the next phase'], 'late events do not count for the next phase')
}))
