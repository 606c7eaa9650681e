'use strict'

// The loop with fake connections and a custom schedule, for situations that are hard to create with sockets.

const t = require('tap')
const { performance } = require('node:perf_hooks')
const OpenLoop = require('../../../lib/engine/loops/open-loop')
const TurnLoop = require('../../../lib/engine/loops/turn-loop')
const { sleep } = require('../../support/wait')

class FakeConnection {
  constructor (index, depth) {
    this.index = index
    this.depth = depth
    this.inFlight = 0
    this.prepared = 0
    this.isUsable = true
    this.sent = []
    this.writes = 0
    this.rehearsals = 0
  }

  get busy () {
    return this.inFlight + this.prepared
  }

  get oldestPrepared () {
    return Infinity
  }

  get room () {
    return this.isUsable ? this.depth - this.busy : 0
  }

  send (dueAt) {
    if (this.room <= 0) throw new Error(`there is no room on connection ${this.index}`)
    this.prepared++
    this.sent.push(dueAt)
  }

  rehearse () {
    this.rehearsals++
  }

  flush () {
    this.writes++
    this.inFlight += this.prepared
    this.prepared = 0
  }
}

// A loop over due times in ms from its start, which was `since` ms ago.
function setUp (t, { times, since, connections = 1, pipelining = 1, timeout = 10, budget = Infinity, perConnection = false }) {
  const owner = {
    connections: Array.from({ length: connections }, (_, index) => new FakeConnection(index, pipelining)),
    recorder: {
      scheduled: 0,
      unsent: [],
      look () {},
      unsentRequest (dueAt) { this.unsent.push(dueAt) },
      nextAnswerFrom: () => Infinity,
      forecast: { until: Infinity, looked () {} }
    },
    maySend: true,
    ends: [],
    pool: { hookShare: 0 },
    ending: { scheduleEnded: (time) => owner.ends.push(time) }
  }
  const pacer = {
    index: -1,
    get connection () { return this.index % connections },
    next () { return ++this.index < times.length ? times[this.index] / 1000 : Infinity }
  }
  const plan = { timeout, pacing: 'precise', pipelining, schedule: { perConnection } }
  const loop = new OpenLoop(plan, pacer, budget, owner)
  const startAt = performance.now() - since
  t.teardown(() => loop.end(performance.now()))
  const sent = (index) => owner.connections[index].sent.map((dueAt) => Math.round(dueAt - startAt))
  const answer = (connection, count = 1) => {
    connection.inFlight -= count
    loop.ready(connection, performance.now())
  }
  return { owner, loop, startAt, sent, answer, recorder: owner.recorder }
}

t.test('sends requests that have come due on free connections, in order of their due times, and the rest when connections become free', async (t) => {
  const { owner, loop, startAt, sent, answer } = setUp(t, { times: [0, 10, 20, 30, 1e6], since: 50, connections: 2 })
  loop.begin(startAt)
  t.same([sent(0), sent(1)], [[0], [10]])
  answer(owner.connections[1])
  t.same([sent(0), sent(1)], [[0], [10, 20]])
  answer(owner.connections[0])
  t.same([sent(0), sent(1)], [[0, 30], [10, 20]])
  t.equal(owner.recorder.scheduled, 4)
})

t.test('requests returned by a broken connection go to a free one, at once and in order of their due times', async (t) => {
  const { owner, loop, startAt, sent } = setUp(t, { times: [0, 10, 1e6], since: 50, connections: 3 })
  const [first, second, third] = owner.connections
  third.isUsable = false
  loop.begin(startAt)
  t.same([sent(0), sent(1)], [[0], [10]])
  third.isUsable = true
  loop.ready(third, performance.now())
  t.same(sent(2), [])

  // The first connection breaks before it has written anything.
  first.isUsable = false
  loop.unwritten(first, startAt)
  loop.closed(first)
  t.same(sent(2), [0])

  // The others break too, and none is left; the newer one returns its requests first.
  for (const broken of [second, third]) {
    broken.isUsable = false
    loop.unwritten(broken, broken.sent[0])
    loop.closed(broken)
  }
  first.isUsable = true
  first.inFlight = 0
  first.depth = 2
  loop.ready(first, performance.now())
  t.same(sent(0), [0, 0, 10])
})

t.test('sends nothing on a connection that announced its end, even if it was listed as free', async (t) => {
  const { owner, loop, startAt, sent } = setUp(t, { times: [0, 900, 1e6], since: 0, connections: 2, pipelining: 2 })
  owner.connections[1].isUsable = false
  loop.begin(startAt)
  t.same(sent(0), [0])
  owner.connections[0].isUsable = false
  await sleep(920)
  t.same(sent(0), [0])
  owner.connections[1].isUsable = true
  loop.ready(owner.connections[1], performance.now())
  t.same(sent(1), [900])
})

t.test('a connection with room for many requests writes those that wait at once', async (t) => {
  const { owner, loop, startAt, sent } = setUp(t, { times: [0, 1, 2, 3, 4, 1e6], since: 10, pipelining: 4 })
  const [connection] = owner.connections
  connection.isUsable = false
  loop.begin(startAt)
  connection.isUsable = true
  loop.ready(connection, performance.now())
  t.same(sent(0), [0, 1, 2, 3])
  t.equal(connection.writes, 1)
})

t.test('a request whose whole timeout passed while it waited is unsent, and the next one is not', async (t) => {
  const { owner, loop, startAt, sent, answer, recorder } = setUp(t, { times: [0, 0, 1900, 1e6], since: 2000, timeout: 1 })
  loop.begin(startAt)
  t.same(recorder.unsent.map((dueAt) => dueAt - startAt), [0, 0])
  t.same(sent(0), [1900])
  answer(owner.connections[0])
  t.equal(recorder.scheduled, 3)
})

t.test('reports the due time of the oldest waiting request', async (t) => {
  const { owner, loop, startAt } = setUp(t, { times: [0, 30, 40, 1e6], since: 50 })
  t.equal(loop.dropAllLate(performance.now()), Infinity)
  loop.begin(startAt)
  t.equal(loop.dropAllLate(performance.now()) - startAt, 30)
  owner.connections[0].isUsable = false
  t.equal(loop.dropAllLate(performance.now() + 1e6), Infinity)
})

t.test('with a schedule per connection, each has its own queue', async (t) => {
  const { owner, loop, startAt, sent, answer } = setUp(t, { times: [0, 10, 20, 30, 1e6], since: 50, connections: 2, perConnection: true })
  loop.begin(startAt)
  t.same([sent(0), sent(1)], [[0], [10]])
  answer(owner.connections[0])
  t.same([sent(0), sent(1)], [[0, 20], [10]])
  answer(owner.connections[0])
  t.same([sent(0), sent(1)], [[0, 20], [10]], 'the rest is not its own')
})

t.test('after the budget nothing comes due, and the owner learns when the next request would have', async (t) => {
  const { owner, loop, startAt, sent } = setUp(t, { times: [0, 10, 20, 30], since: 100, connections: 4, budget: 3 })
  loop.begin(startAt)
  t.same([0, 1, 2, 3].flatMap(sent), [0, 10, 20])
  t.ok(loop.isExhausted)
  t.same(owner.ends.map((time) => Math.round(time - startAt)), [30])
})

t.test('at the end, requests that have come due are counted, even if nobody checked; they are not sent', async (t) => {
  const { loop, startAt, sent, recorder } = setUp(t, { times: [0, 500, 501, 1e6], since: 0 })
  loop.begin(startAt)
  loop.end(startAt + 600)
  t.equal(recorder.scheduled, 3)
  t.same(sent(0), [0])
  loop.leaveUnsent(startAt + 700)
  t.same(recorder.unsent.map((dueAt) => Math.round(dueAt - startAt)), [500, 501])
})

t.test('a request due at the very moment of the end has come due', async (t) => {
  const { loop, startAt, recorder } = setUp(t, { times: [0, 500, 1e6], since: 0 })
  loop.begin(startAt)
  loop.end(loop.nextDue)
  t.equal(recorder.scheduled, 2)
})

t.test('when connections take turns, a message that another connection left is sent before those that came due later', async (t) => {
  const { owner, startAt } = setUp(t, { times: [], since: 50, connections: 2 })
  const times = [0, 1, 2, 3, 4, 1e6]
  const loop = new TurnLoop({ timeout: 10, pacing: 'precise', pipelining: 1, schedule: {} }, { next: () => times.shift() / 1000 }, Infinity, owner)
  t.teardown(() => loop.end(performance.now()))
  const [first, second] = owner.connections
  for (const connection of owner.connections) connection.takesTurns = true
  loop.begin(startAt)
  // Of the waiting messages, 2 and 4 belong to the first connection, and 3 to the second one, which closes.
  Object.assign(second, { isUsable: false, takesTurns: false })
  loop.closed(second)
  for (let count = 0; count < 3; count++) {
    first.inFlight = 0
    loop.ready(first, performance.now())
  }
  t.same(first.sent.map((dueAt) => Math.round(dueAt - startAt)), [0, 2, 3, 4])
  // Connections return messages in any order.
  for (const ms of [7, 6, 8]) loop.unwritten(second, startAt + ms)
  for (let count = 0; count < 3; count++) {
    first.inFlight = 0
    loop.ready(first, performance.now())
  }
  t.same(first.sent.slice(4).map((dueAt) => Math.round(dueAt - startAt)), [6, 7, 8])
})
