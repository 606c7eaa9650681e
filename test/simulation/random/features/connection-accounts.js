'use strict'

const Phase = require('../../../../lib/engine/phase/phase')
const Recorder = require('../../../../lib/metrics/recorder')
const defectIn = require('./plant')

/** `connectionStats`: who closed each usable connection, how many were open at a time, and how many attempts failed. */
function check (round) {
  const { must, parts, plan, sockets, drawn, result: { connectionStats: { failed, closedByServer, closedByClient, peak } } } = round
  const lives = livesOf(round)
  const sure = lives.filter((life) => isOver(life, round) && isOwn(life, round))
  const perhaps = lives.filter((life) => isOver(life, round) || isHeld(life, round))
  const closed = closedByServer + closedByClient
  must(closed >= sure.length && closed <= perhaps.length, `${closedByServer} connections closed by the server and ${closedByClient} by the client, of ${sure.length} to ${perhaps.length}`)
  const by = (side) => sure.filter(({ closedBy }) => closedBy === side).length
  must(closedByServer >= by('server'), `${closedByServer} connections closed by the server, but it closed ${by('server')}`)
  // Other protocols have closing messages, which the server may send first.
  if (!drawn.opts.http2 && drawn.messages === undefined) must(closedByClient >= by('client'), `${closedByClient} connections closed by the client, but it closed ${by('client')}`)
  // Connections that a session no longer needs do not fail.
  const most = plan.sessions === null ? round.failedAttempts.length : sockets.filter(({ usableAt }) => usableAt === null).length
  must(plan.sessions === null ? failed === most : failed <= most, `${failed} connections failed, but it were ${most}`)
  const mine = parts.map(({ phase }) => parts.length === 1 ? lives : lives.filter((socket) => round.partOf(socket).phase === phase))
  const least = sum(mine, (some) => mostAtATime(some.filter((life) => isOwn(life, round)), 0))
  const greatest = sum(mine, (some) => mostAtATime(some, 1))
  must(peak >= least && peak <= greatest, `a peak of ${peak} connections, but it were ${least} to ${greatest}`)
}

/** Each was closed in one of the rounds. */
function checkWorld (drawn, { world, complete, rounds, warmups }, must) {
  if (complete.length < rounds.length + warmups.length) return
  const closed = sum(complete, ({ result: { connectionStats } }) => connectionStats.closedByServer + connectionStats.closedByClient)
  const usable = world.sockets.filter(({ usableAt }) => usableAt !== null).length
  must(closed === usable, `${closed} connections were closed, and ${usable} opened`)
}

const sum = (list, pick) => list.reduce((total, item) => total + pick(item), 0)

// A warm-up hands over connections that are idle at its end. Which phase closed one at that very microsecond is unknown.
const isOver = (socket, round) => hasOneRound(round) || socket.closedAt / 1000 <= round.partOf(socket).finishedAt
// If a listener keeps the thread busy at the end, they are closed when it is done; and so are those of a thread that hears of the start
// when it is over. Until it hears of it, such a thread also counts those that the server closes.
function isHeld (socket, round) {
  const { endedAt, heardAt } = round.partOf(socket)
  if (socket.closedBy === 'server') return heardAt > endedAt && socket.closedAt / 1000 <= heardAt
  return round.canBeLate || heardAt > endedAt
}
// The warm-up may have opened and closed one in the microsecond in which it handed over the others.
function isOwn (socket, round) {
  const { closedAt } = socket
  const { connectedAt, finishedAt } = round.partOf(socket)
  const isOpenedHere = round.sockets.includes(socket)
  return hasOneRound(round) || (isOpenedHere && (closedAt / 1000 < finishedAt || round.drawn.opts.warmup === undefined)) || (closedAt > connectedAt && closedAt / 1000 !== finishedAt)
}

// All connections of its threads are its own.
const hasOneRound = ({ drawn: { threads, opts } }) => threads !== undefined && opts.warmup === undefined

// Connections that were open in this round, including those opened by the warm-up.
function livesOf (round) {
  const usable = round.world.sockets.filter(({ usableAt }) => usableAt !== null)
  if (hasOneRound(round)) return usable
  const opened = new Set(round.sockets)
  // A warm-up without a request that comes due may take no time at all.
  const hadBegun = ({ begunAt }, connectedAt) => begunAt < connectedAt || (begunAt === connectedAt && !round.plan.isWarmup)
  const wasOpen = (socket, { connectedAt }) => hadBegun(socket, connectedAt) && socket.closedAt >= connectedAt
  return usable.filter((socket) => opened.has(socket) || wasOpen(socket, round.partOf(socket)))
}

// Events of the same microsecond may have happened in either order.
function mostAtATime (lives, overlap) {
  const changes = lives.flatMap(({ usableAt, closedAt }) => [[usableAt, 1], [closedAt + overlap, -1]])
  changes.sort(([one, step], [other, otherStep]) => one - other || step - otherStep)
  let open = 0
  return changes.reduce((most, [, step]) => {
    open += step
    return Math.max(most, open)
  }, 0)
}

const defects = {
  'a connection that the server has closed, counted as ours': defectIn(Recorder, 'closedConnection', (original) => function (byServer, lifetime) {
    original.call(this, false, lifetime)
  }),
  'a peak of the connections that were opened': defectIn(Recorder, 'openedConnection', (original) => function (...args) {
    original.apply(this, args)
    this.peak = this.opened
  }),
  'connections of the warm-up that nobody counts': defectIn(Recorder, 'inheritConnections', () => function () {}),
  'an attempt that failed and is counted twice': defectIn(Phase, 'connectionFailed', (original) => function (...args) {
    original.apply(this, args)
    this.recorder.connectionsFailed++
  })
}

module.exports = { name: 'connection accounts', isIn: () => true, check, checkWorld, defects }
