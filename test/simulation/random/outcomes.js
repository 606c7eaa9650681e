'use strict'

const Arrivals = require('./arrivals')
const connectionOf = require('./connection-of')
const { stepsOf } = require('./session-dues')
const { takeClaimed } = require('./turns')

// Tolerance for the same time computed in two ways.
const ROUNDED_MS = 1e-9
// The error code in RST_STREAM.
const CANCEL = 8

/** Due times: those of the schedule, assigned in order to what was sent; requests that no connection took in time were never sent. */
function findDueTimes (round) {
  const { plan, must, drawn, result: { accounting } } = round
  const arrivals = new Arrivals(drawn.opts, drawn.seed)
  const total = totalOf(plan)
  round.dues = []
  round.unsent = []
  const hasOwnQueues = plan.schedule.perConnection || round.hasOwnQueues
  const lanes = hasOwnQueues ? 1 : lanesOf(plan)
  const dealtTo = plan.connections - plan.connections % lanes
  for (const part of round.parts) {
    const queues = new Map()
    const come = (index) => {
      const queue = hasOwnQueues ? placeOf(index, plan.connections, round.parts.length) : index % lanes
      if (!queues.has(queue)) queues.set(queue, [])
      queues.get(queue).push(part.begunAt + arrivals.at(index))
      round.dues.push(part.begunAt + arrivals.at(index))
    }
    // Due times equal to the end may be rounded to either side of it.
    const isUntil = (dueAt, end) => dueAt <= end || (dueAt <= end + ROUNDED_MS && round.dues.length < accounting.scheduled)
    // A round that is stopped before it begins has no schedule.
    const hasSchedule = part.endedAt > part.begunAt || accounting.scheduled > 0
    const isDue = (index) => hasSchedule && index < total && isUntil(part.begunAt + arrivals.at(index), part.endedAt)
    // Rows may run out, and waiting requests are then dropped.
    const isForgotten = plan.feed?.order === 'once' && lanes === 1
    const isOver = isForgotten ? (index) => index >= accounting.scheduled : (index) => !isDue(index) || index >= suppliedBy(drawn)
    for (let index = 0; !isOver(index); index++) {
      if (shareOf(index, dealtTo, round.parts.length) === part.phase.pool.part.share) come(index)
    }
    const laneOf = ({ index }) => (part.phase.pool.part.share + index * round.parts.length) % lanes
    /** The queue that a connection takes from. */
    part.queueOf = hasOwnQueues ? ({ index }) => index : laneOf
    giveDueTimes(round, part, queues)
  }
  if (plan.feed?.order === 'once' && lanes > 1 && round.dues.length > accounting.scheduled) forgetWaiting(round)
  must(round.dues.length === accounting.scheduled, `scheduled ${accounting.scheduled}, but ${round.dues.length} came due until ${round.endedAt}`)
  must(round.unsent.length === accounting.unsent, `unsent ${accounting.unsent}, but ${round.unsent.length} found nobody to take them`)
}

// Connections are dealt to threads, and requests to connections, in turn.
const shareOf = (index, connections, threads) => index % connections % threads
const placeOf = (index, connections, threads) => Math.floor(index % connections / threads)

function giveDueTimes (round, part, queues) {
  const { must } = round
  const leave = (queue, which) => round.unsent.push({ dueAt: queue.shift(), until: part.finishedAt, part, queue: which })
  for (const entry of part.log) {
    const which = part.queueOf(connectionOf(entry.socket))
    const queue = queues.get(which) ?? []
    if (isTied(round, queue, entry)) round.knowsDueTimes = false
    while (queue.length > 0 && queue[0] + round.timeout <= entry.sentAt / 1000) leave(queue, which)
    entry.dueAt = round.turns === 'ids' ? takeClaimed(queue, entry) : queue.shift()
    if (entry.dueAt === undefined) {
      must(false, `a request was sent at ${entry.sentAt / 1000} that was not due, or not any more`)
      entry.dueAt = entry.sentAt / 1000
    }
    must(entry.dueAt <= entry.sentAt / 1000 + ROUNDED_MS, `sent at ${entry.sentAt / 1000}, due at ${entry.dueAt}`)
  }
  for (const [which, queue] of queues) while (queue.length > 0) leave(queue, which)
}

// Due times in stages are rounded roots. If a deadline passes just when a request is sent, it is unknown which of the two waited for it.
function isTied ({ drawn, timeout }, queue, { sentAt }) {
  return drawn.opts.stages !== undefined && queue.some((dueAt) => Math.abs(dueAt + timeout - sentAt / 1000) < ROUNDED_MS)
}

// The number of requests that the rows are for, some of which a warm-up has used: no more come due.
function suppliedBy (drawn) {
  const { opts: { feed, followRedirects = 0 } } = drawn
  return feed?.order === 'once' ? feed.rows * stepsOf(drawn) * (1 + followRedirects) : Infinity
}

// Rows have run out: requests still waiting for a connection to their URL are dropped.
function forgetWaiting (round) {
  const isLate = ({ dueAt, until }) => dueAt + round.timeout <= until
  for (const { dueAt } of round.unsent.filter((each) => !isLate(each))) round.dues.splice(round.dues.indexOf(dueAt), 1)
  round.unsent = round.unsent.filter(isLate)
}

// An amount is divided among several URLs: requests come due for them in turn, and wait for a connection to theirs.
function lanesOf ({ amount, targets, connections, feed, sessions }) {
  return amount === null || feed?.amount || sessions !== null ? 1 : Math.min(targets.length, connections)
}

/** The outcome of unanswered requests, determined by the end of their connection. */
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
  for (const [socket, entries] of bySocket) {
    const closedAt = (socket.closedAt ?? Infinity) / 1000
    const [oldest] = entries
    const earliest = round.earliestOf(entries)
    const deadline = round.startOf(earliest) + round.timeout
    for (const entry of entries) entry.endedAt = closedAt
    // Whatever has ended its connection then.
    if (!isByIds && deadline <= Math.min(closedAt, oldest.part.finishedAt)) {
      const others = entries.filter((entry) => entry !== earliest)
      round.timedOut.push(earliest)
      round.failed.push(...others)
      // Their duration is unknown.
      for (const entry of others) entry.isOfUnknownTime = true
    } else if (socket.closedBy === 'client' && closedAt >= oldest.part.finishedAt && oldest.isLost !== true) {
      round.unfinished.push(...entries)
    } else {
      round.failed.push(...entries)
    }
  }
  checkBoxes(round)
}

/** The same for HTTP/2: the outcome of each stream depends on who reset it, and otherwise on how its connection ended. */
function sortOutStreams (round) {
  round.timedOut = []
  round.failed = []
  round.unfinished = []
  for (const entry of round.log) {
    const { receivedAt, cancelledAt, cancelledWith, resetAt, spoiledAt, socket: { closedBy, closedAt } } = entry
    if (receivedAt !== null) continue
    entry.endedAt = (resetAt ?? spoiledAt ?? cancelledAt ?? closedAt) / 1000
    const isLeft = closedBy === 'client' && closedAt / 1000 >= entry.part.finishedAt && entry.isLost !== true
    const isLate = round.startOf(entry) + round.timeout <= Math.min(entry.endedAt, entry.part.finishedAt)
    if (isLate || (cancelledWith === CANCEL && spoiledAt === undefined)) round.timedOut.push(entry)
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

/** Deadlines were noticed in time: timers have a resolution of milliseconds, and checks of deadlines are a thousandth of the timeout apart. */
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

module.exports = { findDueTimes, lanesOf, sortOut, sortOutStreams, checkDeadlines }
