'use strict'

// A connection whose requests are in one queue, by itself: which of them times out, which are lost with it, and whose progress is reported.

const t = require('tap')
const { fault } = require('../../../lib/base/faults')
const Connection = require('../../../lib/protocol/shared/connection')
const { NO_PROGRESS, Progress } = require('../../../lib/protocol/shared/progress')
const QueuedConnection = require('../../../lib/protocol/shared/queued-connection')
const RequestRing = require('../../../lib/protocol/shared/request-ring')

const BEGUN = new Progress(5, 5)
const BROKEN = fault('ECONNRESET', 'receive', 'gone')
const LOST = 'CANNONADE_LOST_IN_PIPELINE'

class Begun extends QueuedConnection {
  get progress () {
    return this.flight.inFlight === 0 ? NO_PROGRESS : BEGUN
  }
}

/** Three requests in flight, due at 10, 20 and 30 unless `dues` says otherwise, and two that are not written, due at 40 and 50. */
function threeOf ({ script = null, dues = [10, 20, 30, 40, 50] } = {}) {
  const told = []
  const connection = new Begun({ pipelining: 8 }, 0, {}, { endpoints: [0] })
  connection.flight = new RequestRing(8)
  connection.script = script
  connection.owner = {
    isOpenModel: true,
    plan: { timeout: 1e6 },
    requestFailed: (endpoint, dueAt, sentAt, now, { code, phase }, from, progress) => told.push(['failed', endpoint, dueAt, sentAt, code, phase, progress]),
    requestTimedOut: (endpoint, dueAt, sentAt, from, progress, timeout) => told.push(['timed out', endpoint, dueAt, sentAt, progress, timeout]),
    unwritten: (from, dueAt) => told.push(['unwritten', dueAt])
  }
  for (const dueAt of dues) connection.send(dueAt)
  for (const [endpoint, sentAt] of [[2, 11], [1, 21], [0, 31]]) connection.flight.send(endpoint, sentAt)
  return { connection, told }
}

// With timeouts of their own, the second request's deadline is the earliest.
const OWN_TIMEOUTS = { hasTimeouts: true, startOf: (slot, dueAt) => dueAt[slot] === 20 ? 5 : dueAt[slot], timeoutOf: () => 700 }

t.test('its requests, and since when they are in flight', async (t) => {
  const { connection } = threeOf()
  const { busy, prepared, isAwaiting, oldestPrepared } = connection
  t.same({ busy, prepared, isAwaiting, oldestPrepared }, { busy: 5, prepared: 2, isAwaiting: true, oldestPrepared: 40 })
  t.same([true, false].map((fromDueTime) => connection.oldest(fromDueTime)), [10, 11])
  t.equal(threeOf({ script: OWN_TIMEOUTS }).connection.oldest(true), 5)
  t.equal(connection.dropPrepared(), 40)
  t.equal(connection.oldestPrepared, 50)
  connection.dropPrepared()
  t.equal(connection.oldestPrepared, Infinity)
})

t.test('a connection that fails: the error is that of the oldest request, and the others are lost with it', async (t) => {
  for (const [isLate, first, others] of [[undefined, null, null], [true, BEGUN, NO_PROGRESS]]) {
    const { connection, told } = threeOf()
    connection.loseAll(BROKEN, isLate)
    t.strictSame(told, [
      ['failed', 2, 10, 11, 'ECONNRESET', 'receive', first],
      ['failed', 1, 20, 21, LOST, 'receive', others],
      ['failed', 0, 30, 31, LOST, 'receive', others]
    ], `late: ${isLate}`)
  }
  const { connection, told } = threeOf()
  connection.loseAll(fault('CANNONADE_RESPONSE_TIMEOUT', 'timeout', ''))
  t.ok(told.every((each) => each.at(-1) !== null), 'a passed deadline counts even if nobody reported it')
  t.same(told.map((each) => each[5]), ['timeout', 'timeout', 'timeout'])
})

t.test('a request that times out: those behind it are lost, and those ahead of it if its own deadline was earlier', async (t) => {
  const { connection, told } = threeOf()
  connection.timeOut()
  t.strictSame(told, [
    ['timed out', 2, 10, 11, BEGUN, undefined],
    ['failed', 1, 20, 21, LOST, 'receive', NO_PROGRESS],
    ['failed', 0, 30, 31, LOST, 'receive', NO_PROGRESS]
  ])
  t.ok(connection.wasLate)
  const { connection: other, told: toldOfOther } = threeOf({ script: OWN_TIMEOUTS })
  other.timeOut()
  t.strictSame(toldOfOther, [
    ['failed', 2, 10, 11, LOST, 'receive', BEGUN],
    ['timed out', 1, 20, 21, NO_PROGRESS, 700],
    ['failed', 0, 30, 31, LOST, 'receive', NO_PROGRESS]
  ])
})

t.test('a request that another connection returned came due before those sent ahead of it: its deadline passes first', async (t) => {
  const dues = [20, 30, 10, 50, 40]
  const { connection, told } = threeOf({ dues })
  t.same([true, false].map((fromDueTime) => connection.oldest(fromDueTime)), [10, 11])
  t.same([connection.nextPrepared, connection.oldestPrepared], [50, 40])
  t.equal(connection.dropPrepared(), 40)
  t.same([connection.nextPrepared, connection.oldestPrepared, connection.preparedDues], [50, 50, [50]])
  connection.timeOut()
  t.strictSame(told, [
    ['failed', 2, 20, 11, LOST, 'receive', BEGUN],
    ['failed', 1, 30, 21, LOST, 'receive', NO_PROGRESS],
    ['timed out', 0, 10, 31, NO_PROGRESS, undefined]
  ])
  const closed = threeOf({ dues })
  closed.connection.owner.isOpenModel = false
  closed.connection.timeOut()
  t.strictSame(closed.told[0], ['timed out', 2, 20, 11, BEGUN, undefined], 'in the closed model, deadlines count from when requests were sent')
})

t.test('the end of a run: requests in flight are reported with their progress, and unwritten ones are returned', async (t) => {
  const { connection, told } = threeOf({ script: OWN_TIMEOUTS })
  const visited = []
  connection.eachInFlight((...args) => visited.push(args))
  const [first, second, third] = connection.slotsInFlight
  t.strictSame(visited, [[2, 10, 11, BEGUN, 700, first], [1, 20, 21, NO_PROGRESS, 700, second], [0, 30, 31, NO_PROGRESS, 700, third]])
  connection.returnUnwritten()
  t.same(told, [['unwritten', 50], ['unwritten', 40]])
  t.equal(connection.prepared, 0)
})

t.test('how long it had no room, and the shares of hooks and of being closed', async (t) => {
  const connection = new Connection({}, 0, {}, {})
  connection.freeSince = 100
  connection.hookMsSoFar = 7
  connection.becameFree(130, 12)
  t.match(connection, { freeSince: 130, busyMs: 30, hookMs: 7, hookMsSoFar: 0, closedMs: 12 })
  connection.becameFree(140)
  t.match(connection, { freeSince: 140, busyMs: 10, hookMs: 0, closedMs: 0 })
  for (const [isHeld, hookMs, busyMs, share] of [[true, 0, 10, 1], [false, 5, 10, 0.5], [false, 20, 10, 1], [false, 0.5, 0, 0.5]]) {
    Object.assign(connection, { script: { isHeld }, hookMs, busyMs })
    t.equal(connection.hookShare, share)
  }
})
