'use strict'

const t = require('tap')
const { Mix, MixShare } = require('../../lib/load/mix')
const { ByWeight, RoundRobin } = require('../../lib/load/request-order')

const taken = (order, count) => Array.from({ length: count }, () => order.take())
const listOf = (...closing) => closing.map((closes) => ({ closes: closes === 1 }))

t.test('round robin cycles through the requests', async (t) => {
  const order = new RoundRobin(3)
  t.strictSame(taken(order, 7), [0, 1, 2, 0, 1, 2, 0])
  t.equal(order.next, 1)
  t.strictSame([0, 1, 2, 3].map((behind) => order.at(behind)), [1, 2, 0, 1], 'the next one, without taking it')
  t.equal(order.next, 1)
  t.strictSame(taken(new RoundRobin(1), 3), [0, 0, 0])
})

t.test('a round begins with the first request, also after a restart', async (t) => {
  const order = new RoundRobin(3)
  t.strictSame([order.beginsRound, order.leftInRound], [true, 3])
  order.take()
  t.strictSame([order.beginsRound, order.leftInRound], [false, 2])
  order.restart()
  t.strictSame([order.next, order.beginsRound, order.leftInRound], [0, true, 3])
  taken(order, 3)
  t.equal(order.beginsRound, true)
})

t.test('the distance to the next request that closes the connection', async (t) => {
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

t.test('with weights, connections draw from one mix when they send, and keep what they have peeked at', async (t) => {
  const draws = new MixShare(new Mix([2, 1]))
  const [one, other] = [0, 1].map(() => Object.assign(new ByWeight(), { draws }))
  t.strictSame(taken(one, 2), [0, 0])
  t.strictSame([one.at(0), one.at(1), one.next], [1, 0, 1], 'the third and the fourth')
  t.strictSame(taken(other, 2), [0, 1])
  t.strictSame(taken(one, 3), [1, 0, 0], 'those, and then the mix\'s next')
  t.strictSame([one.isCyclic, one.beginsRound, one.leftInRound], [false, true, 1], 'each is a round of its own')
  t.strictSame([one.untilClosing(listOf(0, 0), 5), one.untilClosing(listOf(0, 1), 5)], [Infinity, 1], 'any of them may be the one that closes')
})

t.test('in the open model, an arrival keeps its request until it is sent, given back or passed over', async (t) => {
  const reused = []
  const order = new ByWeight()
  order.begin({ reuse: (kind) => reused.push(kind) }, true)
  // What the connection has after each change, as `due kind`, and how often its next request was taken away.
  const left = () => order.drawn.map((kind, place) => `${order.dues[place]} ${kind}`).concat(order.dues.slice(order.drawn.length))
  const { version } = order
  const after = (change, outcome, arrivals, versions, why) => t.strictSame([change(), left(), order.version - version], [outcome, arrivals, versions], why)
  for (const [dueAt, kind] of [[10, 2], [20, 0], [30, 1], [40, 2], [50, 1]]) order.give(dueAt, kind)
  after(() => order.giveBack(30), 1, ['10 2', '20 0', '40 2', '50 1'], 0, 'the next request is still the same')
  after(() => order.giveBack(10), 2, ['20 0', '40 2', '50 1'], 1, 'it was the next request')
  after(() => order.take(), 0, ['40 2', '50 1'], 1)
  after(() => order.giveBack(20), 0, ['40 2', '50 1'], 2, 'it was taken, and may have been prepared')
  after(() => order.passOver(), undefined, ['50 1'], 2)
  t.strictSame(reused, [2])
  after(() => order.untake(20, 0), undefined, ['20 0', '50 1'], 2)
  after(() => order.giveBack(50), 1, ['20 0'], 2, 'it was the last one')
})

t.test('a phase begins without what the one before has left, with either model', async (t) => {
  const order = new ByWeight()
  order.begin(new MixShare(new Mix([1, 1])), true)
  order.give(10, 1)
  order.give(20, 0)
  order.begin(new MixShare(new Mix([1, 3])), true)
  t.strictSame([order.drawn, order.dues], [[], []])
  order.begin(new MixShare(new Mix([1, 3])), false)
  order.at(3)
  const { version } = order
  order.begin(new MixShare(new Mix([3, 1])), false)
  t.strictSame(taken(order, 4).sort(), [0, 0, 0, 1], 'requests of the mix of this phase alone')
  t.not(order.version, version, 'whatever was prepared is no longer the next one')
})
