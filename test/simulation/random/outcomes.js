'use strict'

const { pacerOf, WHOLE } = require('../../../lib/engine/deal/part')
const connectionOf = require('./connection-of')
const { takeClaimed } = require('./turns')

// Of RST_STREAM.
const CANCEL = 8

/** Due times: the schedule's, given in order to what was sent; what nobody took in time was never sent. */
function findDueTimes (round) {
  const { plan, must, result: { accounting } } = round
  const total = round.phase.extent.total
  const pacer = pacerOf(plan, WHOLE, { duration: plan.amount === null ? plan.duration : Infinity, total: totalOf(plan) })
  const queues = new Map()
  const lanes = lanesOf(plan)
  round.dues = []
  for (let count = 0; count < accounting.scheduled; count++) {
    const dueAt = round.begunAt + pacer.next() * 1000
    const queue = plan.schedule.perConnection ? pacer.connection : count % (round.hasOwnQueues ? plan.connections : lanes)
    if (!queues.has(queue)) queues.set(queue, [])
    queues.get(queue).push(dueAt)
    round.dues.push(dueAt)
  }
  must(round.dues.every((dueAt) => dueAt <= round.endedAt), 'something was scheduled that came due after the end')
  const next = round.begunAt + pacer.next() * 1000
  // A round that is stopped before it begins has no schedule.
  const isCutShort = plan.feed !== null || accounting.scheduled >= total || round.endedAt === round.begunAt
  must(isCutShort || next > round.endedAt, `what came due at ${next} was not scheduled; the end was at ${round.endedAt}`)
  round.unsent = []
  for (const entry of round.log) {
    const { index } = connectionOf(entry.socket)
    const queue = queues.get(round.hasOwnQueues ? index : index % lanes) ?? []
    while (queue.length > 0 && queue[0] + round.timeout <= entry.sentAt / 1000) round.unsent.push(queue.shift())
    entry.dueAt = round.turns === 'ids' ? takeClaimed(queue, entry) : queue.shift()
    if (entry.dueAt === undefined) {
      must(false, `a request was sent at ${entry.sentAt / 1000} that was not due, or not any more`)
      entry.dueAt = entry.sentAt / 1000
    }
    must(entry.dueAt <= entry.sentAt / 1000, `sent at ${entry.sentAt / 1000}, due at ${entry.dueAt}`)
  }
  for (const queue of queues.values()) round.unsent.push(...queue)
  must(round.unsent.length === accounting.unsent, `unsent ${accounting.unsent}, but ${round.unsent.length} found nobody to take them`)
}

// An amount is split among several URLs: requests come due for them in turn, and wait for a connection to theirs.
function lanesOf ({ amount, targets, connections, feed, sessions }) {
  return amount === null || feed?.amount || sessions !== null ? 1 : Math.min(targets.length, connections)
}

/** What became of what was not answered: by what its connection ended of. */
function sortOut (round) {
  round.timedOut = []
  round.failed = []
  round.unfinished = []
  const bySocket = new Map()
  const isByIds = round.messages?.isByIds === true
  for (const entry of round.log) {
    if (entry.receivedAt !== null) continue
    if (isByIds && entry.expiredAt !== undefined) {
      entry.endedAt = entry.expiredAt
      round.timedOut.push(entry)
      continue
    }
    if (!bySocket.has(entry.socket)) bySocket.set(entry.socket, [])
    bySocket.get(entry.socket).push(entry)
  }
  for (const [socket, [oldest, ...others]] of bySocket) {
    const closedAt = (socket.closedAt ?? Infinity) / 1000
    const deadline = round.startOf(oldest) + round.timeout
    for (const entry of [oldest, ...others]) entry.endedAt = closedAt
    if (socket.closedBy === 'client' && !isByIds && deadline <= Math.min(closedAt, round.finishedAt)) {
      round.timedOut.push(oldest)
      round.failed.push(...others)
      // Nobody knows how long they would have taken.
      for (const entry of others) entry.isLost = true
    } else if (socket.closedBy === 'client' && closedAt >= round.finishedAt) {
      round.unfinished.push(oldest, ...others)
    } else {
      round.failed.push(oldest, ...others)
    }
  }
  checkBoxes(round)
}

/** The same with HTTP/2: what became of each stream is told by who reset it, and only where nobody has by how its connection ended. */
function sortOutStreams (round) {
  round.timedOut = []
  round.failed = []
  round.unfinished = []
  for (const entry of round.log) {
    const { receivedAt, cancelledAt, cancelledWith, resetAt, spoiledAt, socket: { closedBy, closedAt } } = entry
    if (receivedAt !== null) continue
    entry.endedAt = (resetAt ?? spoiledAt ?? cancelledAt ?? closedAt) / 1000
    const isLeft = closedBy === 'client' && closedAt / 1000 >= round.finishedAt
    if (cancelledWith === CANCEL && spoiledAt === undefined) round.timedOut.push(entry)
    else if (cancelledWith !== undefined || resetAt !== undefined || !isLeft) round.failed.push(entry)
    else round.unfinished.push(entry)
  }
  checkBoxes(round)
}

function checkBoxes (round) {
  const { must, result: { accounting } } = round
  for (const name of ['timedOut', 'failed', 'unfinished']) {
    must(accounting[name] === round[name].length, `${name} ${accounting[name]}, but the world saw ${round[name].length}`)
  }
}

/** Deadlines were noticed in time: timers know whole milliseconds, and those of deadlines are a thousandth of the timeout apart. */
function checkDeadlines (round) {
  if (round.canBeLate) return
  for (const entry of round.timedOut) {
    // In this order, as a due time may have any fraction.
    const late = entry.endedAt - (round.startOf(entry) + round.timeout)
    round.must(late >= 0 && late <= 2 + round.timeout / 1000, `a deadline was noticed ${late} ms late`)
  }
}

function totalOf ({ amount, maxOverallRequests, maxConnectionRequests, connections, feed }) {
  const inAll = (feed?.amount ? null : amount) ?? maxOverallRequests
  if (inAll !== null) return inAll
  return maxConnectionRequests === null ? Infinity : maxConnectionRequests * connections
}

module.exports = { findDueTimes, sortOut, sortOutStreams, checkDeadlines }
