'use strict'

const ClosedLoop = require('../../../../lib/engine/loops/closed-loop')
const Pool = require('../../../../lib/engine/phase/pool')
const SessionLoop = require('../../../../lib/engine/loops/sessions/session-loop')
const connectionOf = require('../connection-of')
const groups = require('../groups')
const { isCrowd, isUnpaced, SCHEDULES } = require('../is-unpaced')
const defectIn = require('./plant')

const LONGEST_MS = 1000
// A turn of the event loop, and a packet that arrives during it.
const TURN_MS = 0.01
// A wait that goes on in another phase, or as one begins, is set anew for the rest, rounded up since timers know no fractions.
const ROUNDED_UP_MS = 1
// Time for the user's code and the clock.
const LATE_MS = 100

const pauseAfter = (failedInARow) => failedInARow === 0 ? 0 : Math.min(LONGEST_MS, 10 * 2 ** (failedInARow - 1))

/** More servers that refuse connections during a warm-up, and after it. */
function draw (dice, drawn) {
  const { opts, server, threads, story } = drawn
  if (!dice.happens(isOfUsers(drawn) ? 0.3 : 0.06) || threads !== undefined || opts.forever || opts.feed !== undefined) return
  if (server.queue !== undefined && isUnpaced(opts)) return
  const { connections } = opts
  const most = typeof connections === 'number' ? connections : connections.to
  if (isCrowd(drawn, most)) return
  opts.warmup = { connections: dice.one(most, most, dice.whole(1, 8)), duration: dice.whole(1, 3) / 10 }
  const after = dice.ms(0, opts.warmup.duration * 1000)
  story.push({ after, what: 'refuse', ms: dice.ms(10, 600) }, { after: after + dice.ms(0, 1), what: dice.one('resetAll', 'endAll') })
}

const isOfUsers = ({ opts }) => opts.sessions !== undefined && !Object.keys(opts).some((name) => SCHEDULES.has(name))

// Each session has its own connections, so it is the user who backs off before the next session.
const isIn = (drawn) => (drawn.opts.sessions === undefined || isOfUsers(drawn)) && !drawn.opts.http2

// Threads share a clock, so each of them waits for the naps of the others.
const isLate = ({ client, hooks, story, threads }) => client.timersEarlyUs !== undefined || client.cost !== undefined || (client.wakesLate !== undefined && threads !== undefined) ||
  JSON.stringify([hooks, story]).includes('hold')

/**
 * After a connection without a response, the next attempt in its place waits 10 ms, then 20, 40, … up to a second; a response resets this.
 * A run continues where its warm-up was.
 */
function checkWorld (drawn, { world, rounds, warmups }, must) {
  const isOnTime = !isLate(drawn)
  // A connection may close in a turn in which the thread is blocked, and be opened at the end of another one.
  const lateness = world.client.holds.reduce((most, us) => Math.max(most, 2 * us / 1000), LATE_MS)
  const answered = new Set(world.log.filter(({ receivedAt }) => receivedAt !== null).map(({ socket }) => socket))
  for (const [index, round] of rounds.entries()) {
    const phases = [...(warmups[index] === undefined ? [] : [warmups[index]]), round]
    if (drawn.opts.sessions !== undefined) {
      if (isOnTime && phases.length > 1) for (const both of byThread(phases)) checkUsers(both, answered, must)
      continue
    }
    for (const lives of groups(phases.flatMap((phase) => phase.sockets.map((socket) => ({ socket, phase }))), ({ socket }) => placeOf(socket)).values()) {
      checkReopening(lives, lateness, must)
      if (isOnTime) checkPlace(lives, answered, drawn, must)
    }
  }
}

// However late it is, as long as there is something left to send.
function checkReopening (lives, lateness, must) {
  for (const [index, { socket, phase }] of lives.entries()) {
    const until = phase.phase.window.endedAt
    if (lives[index + 1]?.phase === phase || !isNeeded(phase)) continue
    must(socket.closedAt / 1000 + lateness + pauseAfter(index + 1) >= until, `a connection that closed at ${socket.closedAt / 1000} was not opened again until ${until}`)
  }
}

// Limits per connection, and the assignment of rows, are checked elsewhere.
function isNeeded ({ phase: { plan }, phases = [], result }) {
  if (result === undefined || phases.length > 1 || plan.maxConnectionRequests !== null || plan.feed !== null || (plan.amount !== null && plan.targets.length > 1)) return false
  return plan.schedule !== null || result.accounting.sent < (plan.amount ?? plan.maxOverallRequests ?? Infinity)
}

// A connection of the warm-up and its successor in the run have the same number in their thread.
function placeOf (socket) {
  const { index, owner } = connectionOf(socket)
  return `${owner.pool.part.share} ${index}`
}

function checkPlace (lives, answered, drawn, must) {
  let least = 0
  let most = 0
  for (const [index, { socket, phase }] of lives.entries()) {
    const { finishedAt } = phase.seen?.partOf(socket) ?? phase.phase
    const isCutOff = socket.closedBy === 'client' && socket.closedAt / 1000 >= finishedAt
    least = answered.has(socket) ? 0 : least + (isCutOff ? 0 : 1)
    most = answered.has(socket) ? 0 : most + 1
    const next = lives[index + 1]
    if (next === undefined) continue
    const waited = (next.socket.begunAt - socket.closedAt) / 1000
    if (next.phase === phase) {
      must(waited >= pauseAfter(least) - 1e-6, `after ${least} connections without a response the next attempt began after ${waited} ms`)
      const longest = pauseAfter(most) + TURN_MS + (isSetAnew(socket, next.socket, phase) ? ROUNDED_UP_MS : 0)
      if (!mayBeNeededLater(phase, drawn)) must(waited <= longest, `after ${most} connections without a response the next attempt began only after ${waited} ms`)
    } else if (!isCutOff) {
      must(waited >= pauseAfter(least) - 1e-6, `after ${least} connections without a response, in the warm-up, the run tried again after ${waited} ms`)
    }
  }
}

// Threads may open their connections before the common start, and hear of it later.
function isSetAnew ({ closedAt }, { begunAt }, { phase, phases = [], heardAt }) {
  const lastHeardAt = Math.max(heardAt, ...phases.map(({ heardAt }) => heardAt))
  return closedAt <= lastHeardAt * 1000 && begunAt > phase.window.startedAt * 1000
}

// In the closed model, requests that hooks are preparing belong to their connection. Of a limited number, another one may have none to send
// until they are given back.
function mayBeNeededLater ({ phase: { plan } }, { hooks: { setupRequest } }) {
  const isLimited = [plan.amount, plan.maxOverallRequests, plan.maxConnectionRequests].some((each) => each !== null) || plan.feed?.order === 'once'
  return plan.schedule === null && isLimited && setupRequest?.sleep !== undefined
}

// The warm-up and the run of each thread that was not stopped before both.
function byThread ([warmup, round]) {
  const { phases: before = [warmup] } = warmup
  const { phases = [round] } = round
  const pairs = phases.map((each) => [before.find(({ phase }) => phase.pool.part.share === each.phase.pool.part.share), each])
  return pairs.filter(([first]) => first !== undefined)
}

/** Users that should wait at the end of the warm-up do not arrive when the run begins. */
function checkUsers ([warmup, { phase, sockets }], answered, must) {
  const visitOf = (socket) => connectionOf(socket).script.visit
  const last = new Map()
  for (const [visit, own] of groups(warmup.sockets, visitOf)) {
    const leftAt = Math.max(...own.map(({ closedAt }) => closedAt)) / 1000
    if (!(last.get(visit.slot)?.number > visit.number)) last.set(visit.slot, { number: visit.number, leftAt, hadNoResponse: own.every((socket) => !answered.has(socket)) })
  }
  const { window: { startedAt }, loop: { users: { count } } } = phase
  const held = [...last].filter(([slot, { leftAt, hadNoResponse }]) => slot < count && hadNoResponse && leftAt < warmup.phase.finishedAt && leftAt + pauseAfter(1) > startedAt).length
  const atOnce = [...groups(sockets, visitOf).keys()].filter(({ dueAt }) => dueAt === startedAt).length
  must(atOnce <= count - held, `${atOnce} of ${count} users came as the run began, and ${held} had to wait`)
}

const defects = {
  'a pause that is always the first': defectIn(Pool, 'reopen', (original) => function (connection) {
    const { failuresInRow } = connection
    connection.failuresInRow = Math.min(1, failuresInRow)
    const pause = original.call(this, connection)
    connection.failuresInRow = failuresInRow
    return pause
  }),
  'a run that forgets what its warm-up waited for, with other connections': defectIn(Pool, 'inheritBackOff', () => () => {}),
  'a run that forgets what its warm-up waited for, with the same connections': defectIn(Pool, 'backOff', () => () => {}),
  'users who forget what the warm-up told them': defectIn(SessionLoop, 'inheritBackOff', () => () => {}, isOfUsers),
  'a connection that is not opened again before the clock starts': defectIn(ClosedLoop, 'needsConnections', () => function () { return this.isRunning && this.budget > 0 },
    ({ messages, opts }) => messages?.expect === 'broadcast' && opts.sessions === undefined && !Object.keys(opts).some((name) => SCHEDULES.has(name))),
  'an attempt that comes twice as late': defectIn(Pool, 'openLater', (original) => function (connection, delay) { original.call(this, connection, 2 * delay) })
}

const isRich = (drawn) => isIn(drawn) && !isLate(drawn) && drawn.opts.warmup !== undefined && drawn.story.some(({ what }) => what === 'refuse')

module.exports = { name: 'back-off', draw, isIn, isRich, checkWorld, defects }
