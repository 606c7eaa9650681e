'use strict'

// The loop with fake connections, for situations that are hard to create with sockets.

const t = require('tap')
const ClosedLoop = require('../../../lib/engine/loops/closed-loop')
const { SplitClosedLoop } = require('../../../lib/engine/loops/split-loops')
const { WHOLE } = require('../../../lib/engine/deal/part')
const Split = require('../../../lib/engine/deal/split')

/** Executes what is scheduled for the next turn of the event loop, and what follows from that. */
const turns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

class FakeConnection {
  constructor (index) {
    this.index = index
    this.isOpen = true
    this.sentEver = 0
    this.script = null
    this.ring = { prepared: 0 }
  }

  get hasPrepared () {
    return this.ring.prepared > 0
  }

  get room () {
    return this.isOpen ? 1 - this.ring.prepared : 0
  }

  send () {
    this.ring.prepared++
  }

  flush () {
    this.sentEver += this.ring.prepared
    this.ring.prepared = 0
  }
}

function setUp (t, { budget, connections }) {
  const made = Array.from({ length: connections }, (_, index) => new FakeConnection(index))
  const loop = new ClosedLoop({ thinkTime: null, requests: [{}] }, budget, WHOLE, made)
  t.teardown(() => loop.end())
  return { loop, connections: made }
}

t.test('sends nothing before it has begun and after its end, when it needs no connections anymore', async (t) => {
  const { loop, connections: [connection] } = setUp(t, { budget: 10, connections: 1 })
  const tryIt = async () => {
    loop.ready(connection, 0)
    await turns()
    return [loop.needsConnections, connection.sentEver]
  }
  t.same(await tryIt(), [true, 0])
  loop.begin()
  t.same(await tryIt(), [true, 1])
  loop.end()
  t.same(await tryIt(), [false, 1])
})

t.test('a returned request goes to a connection that had nothing left to send', async (t) => {
  const { loop, connections: [first, second] } = setUp(t, { budget: 1, connections: 2 })
  loop.begin()
  loop.ready(first, 0)
  loop.ready(second, 0)
  t.same([first, second].map(({ ring }) => ring.prepared), [1, 0])
  first.isOpen = false
  first.ring.prepared = 0
  loop.unwritten(first)
  await turns()
  t.same([first, second].map(({ sentEver }) => sentEver), [0, 1])
  t.notOk(loop.needsConnections)
})

t.test('an amount divided among URLs: a returned request still belongs to its URL', async (t) => {
  const connections = [new FakeConnection(0), new FakeConnection(1)]
  const plan = { thinkTime: null, requests: [{}], targets: [{}, {}], connections: 2, amount: 5 }
  const loop = new SplitClosedLoop(plan, 5, WHOLE, connections, new Split(plan, WHOLE, 2))
  t.teardown(() => loop.end())
  const left = () => [...loop.budgets, loop.budget]
  t.same(left(), [3, 2, 5])
  t.equal(loop.take(connections[1], 3), 2)
  t.same([left(), connections.map((connection) => loop.hasRequestsFor(connection))], [[3, 0, 3], [true, false]])
  t.equal(loop.take(connections[0], 2), 2)
  t.same(left(), [1, 0, 1])
  loop.unwritten(connections[1])
  t.same([left(), connections.map((connection) => loop.hasRequestsFor(connection))], [[1, 1, 2], [true, true]])
  t.equal(loop.take(connections[0], 2), 1)
  t.equal(loop.take(connections[0], 1), 0, 'the rest belongs to the other one')
  t.equal(loop.take(connections[1], 2), 1)
  t.same([left(), loop.needsConnections], [[0, 0, 0], false])
})
