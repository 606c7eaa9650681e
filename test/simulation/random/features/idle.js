'use strict'

const ClosedLoop = require('../../../../lib/engine/loops/closed-loop')
const FreeList = require('../../../../lib/engine/loops/free-list')
const OpenLoop = require('../../../../lib/engine/loops/open-loop')
const Pool = require('../../../../lib/engine/phase/pool')
const Visit = require('../../../../lib/engine/loops/sessions/visit')
const world = require('../../../../lib/world')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const { lanesOf } = require('../outcomes')
const defectIn = require('./plant')

// A few turns of the event loop; if the loop sleeps until something is due, a timer.
const AT_ONCE_MS = 0.05
const ASLEEP_MS = 2

// User code takes time, a nap of one simulated thread blocks the others, and in other protocols there are further reasons why nothing is sent.
const isIn = ({ opts, hooks, messages, calls, client, story, threads }) =>
  (client.wakesLate === undefined || threads === undefined) && Object.keys(hooks).length === 0 && messages === undefined && calls === undefined && !opts.http2 && opts.thinkTime === undefined &&
  client.timersEarlyUs === undefined && client.cost === undefined && story.every(({ what }) => what !== 'hold')

/** No connection has room while a request is due: in the closed model there is always another one, until all are sent. */
function check (round) {
  const { plan, drawn: { opts, server }, knowsDueTimes, hasDueTimes } = round
  // A connection that the server is about to close accepts no more requests.
  if ((server.keepAlive !== undefined && plan.pipelining > 1) || plan.feed !== null) return
  if (hasDueTimes && !knowsDueTimes) return
  const limit = opts.pacing === 'sleep' ? ASLEEP_MS : AT_ONCE_MS
  for (const part of round.parts) {
    const sockets = round.world.sockets.filter((socket) => socket.usableAt !== null && isOf(socket, part, round))
    if (plan.sessions !== null) {
      const users = groups(sockets, (socket) => connectionOf(socket).script.visit)
      for (const [user, sent] of groups(part.log, ({ socket }) => connectionOf(socket).script.visit)) checkDelays(round, part, sent, users.get(user), limit)
    } else if (!hasDueTimes) {
      checkClosed(round, part, sockets)
    } else {
      // The requests of each queue: of a connection, of one of several URLs that share an amount, or of all.
      const queueOf = (socket) => part.queueOf(connectionOf(socket))
      const own = groups(sockets, queueOf)
      for (const [queue, sent] of groups(part.log, ({ socket }) => queueOf(socket))) checkDelays(round, part, sent, own.get(queue), limit, queue)
    }
  }
}

function isOf (socket, part, round) {
  const { connectedAt, finishedAt } = part
  const { sockets } = round
  return round.partOf(socket) === part && (sockets.includes(socket) || socket.begunAt < connectedAt) && socket.closedAt >= connectedAt && socket.usableAt / 1000 <= finishedAt
}

// When a connection had room, ms.
function roomsOf ({ plan, world, drawn: { opts } }, { heardAt, endedAt, log }, socket) {
  // The maximum that it may send, including the connections before and after it.
  const connection = connectionOf(socket)
  const lastAt = plan.maxConnectionRequests === null ? Infinity : log.filter((entry) => connectionOf(entry.socket) === connection)[plan.maxConnectionRequests - 1]?.sentAt ?? Infinity
  const most = Math.min(plan.reconnectRate ?? Infinity, opts.keepAlive === false ? 1 : Infinity)
  const all = world.log.filter((entry) => entry.socket === socket)
  const changes = all.flatMap(({ sentAt, receivedAt }) => [[sentAt, 1], ...(receivedAt === null ? [] : [[receivedAt, -1]])])
  // A response precedes requests that are sent in the same microsecond.
  changes.sort(([one, step], [other, otherStep]) => one - other || step - otherStep)
  const rooms = []
  let inFlight = 0
  let sent = 0
  let from = socket.usableAt
  const close = (until) => {
    const room = [Math.max(heardAt, from / 1000), Math.min(endedAt, until / 1000, lastAt / 1000)]
    if (inFlight < plan.pipelining && sent < most && room[1] > room[0]) rooms.push(room)
  }
  for (const [at, step] of changes) {
    close(at)
    inFlight += step
    if (step > 0) sent++
    from = at
  }
  close(socket.closedAt)
  return rooms
}

function checkDelays (round, part, sent, sockets, limit, queue = null) {
  const unsent = queue === null ? [] : round.unsent.filter((each) => each.part === part && each.queue === queue)
  const late = [...unsent.map(({ dueAt, until }) => ({ dueAt, sentAt: Math.min(until, dueAt + round.timeout) * 1000 })), ...sent].filter(({ dueAt, sentAt }) => sentAt / 1000 - dueAt > limit)
  if (late.length === 0) return
  const rooms = sockets.flatMap((socket) => roomsOf(round, part, socket))
  for (const { dueAt, sentAt } of late) {
    const room = rooms.find(([from, to]) => Math.min(to, sentAt / 1000) - Math.max(from, dueAt) > limit)
    round.must(room === undefined, `a request waited from ${dueAt} to ${sentAt / 1000}, and a connection had room from ${room?.[0]} to ${room?.[1]}`)
  }
}

// Until the last one has been sent.
function checkClosed (round, part, sockets) {
  const { plan, result: { accounting }, must } = round
  const ofEach = plan.maxConnectionRequests === null ? Infinity : plan.maxConnectionRequests * plan.connections
  const total = plan.amount ?? plan.maxOverallRequests ?? ofEach
  if (accounting.sent >= total || round.parts.length > 1) return
  // Each of several URLs has its share.
  const lanes = lanesOf(plan)
  const laneOf = (socket) => connectionOf(socket).index % lanes
  const sent = groups(part.log, ({ socket }) => laneOf(socket))
  const isDone = (lane) => lanes > 1 && (sent.get(lane)?.length ?? 0) >= Math.ceil((plan.amount - lane) / lanes)
  for (const socket of sockets.filter((each) => !isDone(laneOf(each)))) {
    const room = roomsOf(round, part, socket).find(([from, to]) => to - from > AT_ONCE_MS)
    must(room === undefined, `a connection had room from ${room?.[0]} to ${room?.[1]}, and nobody sent anything`)
  }
}

const defects = {
  'a connection that is free and not found': defectIn(FreeList, 'best', (original) => function () {
    this.asked = (this.asked ?? 0) + 1
    return this.asked % 7 === 6 ? -1 : original.call(this)
  }),
  'a connection that takes one request at a time': defectIn(OpenLoop, 'serve', (original) => function (connection, now) {
    if (connection.busy === 0) original.call(this, connection, now)
  }, ({ opts }) => opts.pipelining > 1),
  'a user of the closed model who sends nothing on a new connection': defectIn(ClosedLoop, 'ready', (original) => function (connection, now) {
    if (connection.sentHere > 0 || connection.sentEver === 0) original.call(this, connection, now)
  }),
  'a number of requests that a connection has from the warm-up': defectIn(Pool, 'adopt', (original) => function (owner) {
    const before = this.connections.map(({ sentEver }) => sentEver)
    original.call(this, owner)
    this.connections.forEach((connection, index) => { connection.sentEver = before[index] })
  }),
  'a session that goes on a little later': defectIn(Visit, 'endStep', (original) => function (now) {
    if (this.callsLeft === 0) original.call(this, now)
    else world.setTimeout(() => original.call(this, world.now()), 2)
  }, ({ opts }) => opts.sessions !== undefined)
}

module.exports = { name: 'idle connections', isIn, check, defects }
