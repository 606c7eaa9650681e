'use strict'

const t = require('tap')
const fc = require('../../support/fast-check')
const DueQueue = require('../../../lib/engine/loops/due-queue')

t.test('returns due times in the order in which they were added', async (t) => {
  const queue = new DueQueue()
  for (const time of [1, 2, 3]) queue.push(time)
  t.equal(queue.oldest, 1)
  t.same([queue.shift(), queue.shift(), queue.shift()], [1, 2, 3])
  t.equal(queue.length, 0)
})

t.test('keeps the order when it grows while wrapped around', async (t) => {
  const queue = new DueQueue()
  for (let time = 0; time < 16; time++) queue.push(time)
  for (let time = 0; time < 10; time++) queue.shift()
  for (let time = 16; time < 1000; time++) queue.push(time)
  const taken = []
  while (queue.length > 0) taken.push(queue.shift())
  t.same(taken, Array.from({ length: 990 }, (_, index) => index + 10))
})

t.test('puts returned due times of two connections back in order', async (t) => {
  const queue = new DueQueue()
  queue.push(4)
  // One connection had 2, the other 3 and 1, and returns its newest first.
  for (const time of [2, 3, 1]) queue.putBack(time)
  t.same([queue.shift(), queue.shift(), queue.shift(), queue.shift()], [1, 2, 3, 4])
})

t.test('behaves as a sorted array does', async (t) => {
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.constant('push') },
    { weight: 2, arbitrary: fc.constant('shift') },
    { weight: 1, arbitrary: fc.nat(50).map((back) => ({ back })) }
  )
  fc.assert(fc.property(fc.array(action, { maxLength: 300 }), (actions) => {
    const queue = new DueQueue()
    const model = []
    const taken = []
    let clock = 0
    for (const what of actions) {
      if (what === 'push') {
        queue.push(++clock)
        model.push(clock)
      } else if (what === 'shift') {
        if (model.length === 0) continue
        const time = queue.shift()
        if (time !== model.shift()) return false
        taken.push(time)
      } else if (taken.length > 0) {
        const [time] = taken.splice(what.back % taken.length, 1)
        queue.putBack(time)
        model.push(time)
        model.sort((a, b) => a - b)
      }
      if (queue.length !== model.length) return false
      if (model.length > 0 && queue.oldest !== model[0]) return false
    }
    while (model.length > 0) {
      if (queue.shift() !== model.shift()) return false
    }
    return queue.length === 0
  }), { numRuns: 500 })
})

t.test('a queue of due times takes over another one, in order', async (t) => {
  const queueOf = (times) => {
    const queue = new DueQueue()
    for (const time of times) queue.push(time)
    return queue
  }
  const listOf = (queue) => {
    const times = []
    queue.each((time) => times.push(time))
    return times
  }
  for (const [one, other] of [[[1, 4, 5], [2, 3, 6]], [[], [1, 2]], [[1, 2], []], [[], []], [[1], Array.from({ length: 40 }, (_, index) => index)]]) {
    const [queue, taken] = [queueOf(one), queueOf(other)]
    queue.absorb(taken)
    t.same(listOf(queue), [...one, ...other].sort((a, b) => a - b))
    t.equal(taken.length, 0)
    queue.push(99)
    taken.push(7)
    t.same([listOf(queue).at(-1), listOf(taken)], [99, [7]], 'each still works afterwards')
  }
})
