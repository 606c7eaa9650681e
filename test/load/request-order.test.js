'use strict'

const t = require('tap')
const { RoundRobin } = require('../../lib/load/request-order')

const taken = (order, count) => Array.from({ length: count }, () => order.take())
const listOf = (...closing) => closing.map((closes) => ({ closes: closes === 1 }))

t.test('round robin takes one after the other, round and round', async (t) => {
  const order = new RoundRobin(3)
  t.strictSame(taken(order, 7), [0, 1, 2, 0, 1, 2, 0])
  t.equal(order.next, 1)
  t.strictSame([0, 1, 2, 3].map((behind) => order.at(behind)), [1, 2, 0, 1], 'what comes, without taking it')
  t.equal(order.next, 1)
  t.strictSame(taken(new RoundRobin(1), 3), [0, 0, 0])
})

t.test('a round begins with the first request, and again when it is started again', async (t) => {
  const order = new RoundRobin(3)
  t.strictSame([order.beginsRound, order.leftInRound], [true, 3])
  order.take()
  t.strictSame([order.beginsRound, order.leftInRound], [false, 2])
  order.restart()
  t.strictSame([order.next, order.beginsRound, order.leftInRound], [0, true, 3])
  taken(order, 3)
  t.equal(order.beginsRound, true)
})

t.test('how far it is to a request that ends the connection', async (t) => {
  const distances = (list, within = Infinity) => list.map((_, first) => {
    const order = new RoundRobin(list.length)
    taken(order, first)
    return order.untilClosing(list, within)
  })
  t.strictSame(distances(listOf(0, 0, 1, 0)), [3, 2, 1, 4])
  t.strictSame(distances(listOf(1)), [1])
  t.strictSame(distances(listOf(0, 0)), [Infinity, Infinity])
  t.strictSame(distances(listOf(0, 0, 1, 0), 2), [Infinity, 2, 1, Infinity], 'of the next two')
})
