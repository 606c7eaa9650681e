'use strict'

const Arrivals = require('./arrivals')
const Chance = require('./chance')
const connectionOf = require('./connection-of')
const { quota } = require('./features/mixes')
const { scenarioIn } = require('./features/scenarios')
const groups = require('./groups')
const locationOf = require('./location-of')

// Tolerance for the same time computed in two ways.
const ROUNDED_MS = 1e-6
const TURN_MS = 0.01
// Each user of a run has different pauses.
const SEEDS_APART = 2 ** 33
const BACK_OFFS_MS = [10, 20, 40, 80, 160, 320, 640, 1000]

/**
 * When each request of a session was due: those of the first step with their session, those of a later one when the previous step had been
 * answered and the think time was over. Requests that were due and never sent are unsent, and so is the first request of a session that
 * never began.
 *
 * @param {Round} round with sessions
 */
function findSessionDues (round) {
  const { must, result: { accounting } } = round
  round.unsent = []
  round.visits = []
  let begun = 0
  let late = 0
  for (const part of round.parts) {
    const visits = visitsOf(round, part)
    begun += visits.length
    round.visits.push(...visits)
    if (round.plan.schedule !== null) late += findArrivals(round, part, visits)
    for (const visit of visits) goAlong(round, visit)
    if (round.plan.schedule === null) {
      findReturns(round, part, visits)
      late += skippedBy(visits, part)
    }
  }
  const { started, scheduled } = round.result.sessions
  if (round.plan.schedule === null) late = findGivenUp(round, late, started - begun)
  // Others failed by waiting too long.
  must(started === begun + late, `${started} sessions began, but ${begun} had a connection, and ${late} waited for too long`)
  // Users that arrive at the very end never begin.
  if (round.plan.schedule === null) for (let index = begun + late; index < scheduled; index++) round.unsent.push({ dueAt: round.finishedAt, until: round.finishedAt })
  const due = round.log.length + round.unsent.length
  must(accounting.scheduled === due, `scheduled ${accounting.scheduled}, but ${round.log.length} were sent and ${round.unsent.length} were due besides`)
}

// With scenarios: the number of the scenario is the first part of its paths.
function callsOf ({ drawn, plan: { sessions } }, visit) {
  if (drawn.mix !== undefined) {
    const scenario = visit.sent.length > 0 ? scenarioIn(visit.sent[0]) : scenarioOf(drawn, visit)
    const { steps, calls, bursts = new Array(steps).fill(1), thinkTime = drawn.opts.thinkTime } = drawn.mix[scenario]
    return { bursts, calls: calls ?? steps, thinkTime, scenario }
  }
  const bursts = drawn.walk?.bursts ?? drawn.bursts ?? new Array(stepsOf(drawn)).fill(1)
  return { bursts, thinkTime: drawn.opts.thinkTime, calls: sessions.calls ?? bursts.reduce((sum, size) => sum + size, 0) }
}

// Of a session that sent nothing, by its number among all that came, or in the closed model among those of its thread.
function scenarioOf ({ mix }, { place }) {
  return quota(mix.map(({ weight }) => weight), place + 1)[place]
}

// All sessions that got as far as opening a connection, in the order in which they began.
function visitsOf (round, part) {
  const { share, of } = part.phase.pool.part
  const visitOf = (socket) => connectionOf(socket).script.visit
  const bySocket = groups(round.sockets.filter((socket) => connectionOf(socket).owner === part.phase), visitOf)
  const sent = groups(part.log, ({ socket }) => visitOf(socket))
  const visits = [...bySocket].map(([visit, sockets]) => (
    { part, number: visit.number, place: (visit.number - share) / of, dueAt: visit.dueAt, sockets, sent: sent.get(visit) ?? [], hasLeft: false, concludedAt: round.concluded.get(visit) }
  ))
  return visits.sort((one, other) => one.number - other.number)
}

// By a schedule, of which each thread has its share. Sessions that never began sent nothing. Returns how many of them waited for too long.
function findArrivals (round, part, visits) {
  const { must, plan: { sessions: { amount }, feed }, drawn, parts, result } = round
  const arrivals = new Arrivals({ ...drawn.opts, amount: amount ?? undefined }, drawn.seed)
  const waiting = [...visits]
  const isOver = (dueAt) => dueAt > part.endedAt + ROUNDED_MS || (part.endedAt === part.begunAt && visits.length === 0)
  // There are no more sessions than rows, some of which a warm-up may have used.
  const most = feed?.order === 'once' ? result.sessions.scheduled : amount ?? Infinity
  let late = 0
  for (let index = part.phase.pool.part.share; index < most; index += parts.length) {
    const dueAt = part.begunAt + arrivals.at(index)
    if (isOver(dueAt)) break
    // Its own due time, which is rounded in another way, decides whether it had come due, or its deadline had passed, at the very instant.
    if (waiting.length > 0 && Math.abs(waiting[0].dueAt - dueAt) < ROUNDED_MS) waiting.shift().place = index
    else {
      round.unsent.push({ dueAt, until: part.finishedAt, part, ...(drawn.mix !== undefined && { scenario: scenarioOf(drawn, { place: index }) }) })
      if (dueAt + round.timeout <= part.finishedAt) late++
    }
  }
  for (const { number, dueAt } of waiting) must(false, `the session ${number} was due at ${dueAt}, when none was`)
  return late
}

// In the closed model a user arrives when the previous one has left, or after a back-off if that one had no response at all.
function findReturns (round, part, visits) {
  const { must, canBeLate, plan, drawn: { opts } } = round
  if (canBeLate || opts.warmup !== undefined || plan.rampUp !== null) return
  // A user that waits for no reply is done at the end of its turn of the event loop.
  const turn = plan.websocket?.expect === 'nothing' ? TURN_MS : 0
  const followers = new Map()
  for (const next of visits.filter((visit) => visit.dueAt > part.begunAt)) {
    must(follows(next, visits, followers, turn), `the session ${next.number} was due at ${next.dueAt}, when nobody had left`)
  }
}

// Sessions that never began have a number as well.
function skippedBy (visits, { phase: { pool: { part: { share, of } } } }) {
  return visits.length === 0 ? 0 : (visits.at(-1).number - share) / of + 1 - visits.length
}

// In the closed model there is room for each user, so a session can only have waited for too long while the thread was blocked. When it was
// due is unknown: it has no predecessor in the log. The last ones are followed by no number; their latencies show whether there were any.
function findGivenUp ({ unsent, timeout, world: { client } }, skipped, most) {
  const isPossible = (client.heldUs + client.nappedUs) / 1000 >= timeout
  const late = isPossible ? Math.max(skipped, most) : 0
  for (let index = 0; index < late; index++) unsent.push({ dueAt: -Infinity, until: Infinity })
  return late
}

// Whether each has a predecessor: a user that left may have been followed by several, at different times.
function follows (next, visits, followers, turn, tried = new Set()) {
  return visits.some((visit) => {
    if (visit.number >= next.number || tried.has(visit) || !mayFollow(visit, next.dueAt, turn)) return false
    tried.add(visit)
    const other = followers.get(visit)
    if (other !== undefined && !follows(other, visits, followers, turn, tried)) return false
    followers.set(visit, next)
    return true
  })
}

// When a user left that waited for a connection in vain is not in the log.
function mayFollow ({ leftAt, hasLeft, sent }, dueAt, turn) {
  if (!hasLeft) return true
  const hasResponses = sent.some(({ receivedAt }) => receivedAt !== null)
  return (hasResponses ? [0] : BACK_OFFS_MS).some((pause) => Math.abs(leftAt + pause - dueAt) < ROUNDED_MS + turn)
}

/** One session, step by step. */
function goAlong (round, visit) {
  const { must, drawn } = round
  const { bursts, calls, thinkTime, scenario } = callsOf(round, visit)
  visit.scenario = scenario
  checkOpened(round, visit, bursts)
  const pauses = pausesOf(drawn, visit.number, bursts, thinkTime)
  const left = [...visit.sent]
  let { dueAt } = visit
  let waiting = []
  let isDone = false
  for (let step = 0, begun = 0; !isDone && (step === 0 || left.length > 0); step++) {
    const size = Math.min(bursts[step % bursts.length], calls - begun)
    begun += size
    const taken = takeStep(round, left, size, dueAt)
    waiting = taken.waiting
    if (taken.answeredAt === null) break
    isDone = begun === calls
    dueAt = taken.answeredAt + (isDone ? 0 : pauses())
    // The due time of the next one, if it still comes.
    waiting = isDone ? [] : new Array(Math.min(bursts[(step + 1) % bursts.length], calls - begun)).fill(dueAt)
  }
  for (const { sentAt } of left) must(false, `a session sent a request at ${sentAt / 1000} that was not due`)
  if (isDone) Object.assign(visit, { leftAt: dueAt, hasLeft: true, isDone })
  else breakOff(round, visit, waiting)
}

// A connection is opened for a request that no other one could take. If none was lost, there are no more than requests of a burst, beside those
// whose server accepted none for a while.
function checkOpened ({ must }, { number, sockets }, bursts) {
  const areAllKept = sockets.every(({ closedBy, closedAt }) => closedBy === 'client' && closedAt === sockets[0].closedAt)
  const most = Math.max(...bursts)
  const able = sockets.filter(({ peer }) => peer?.hasBarred !== true).length
  if (areAllKept) must(able <= most, `the session ${number} opened ${able} connections for ${most} requests at a time`)
}

// It has failed, or was still open at the end.
function breakOff (round, visit, waiting) {
  const { part, sent } = visit
  const failedAt = failureOf(round, visit, waiting)
  const end = Math.min(failedAt, part.finishedAt)
  const until = Math.min(visit.concludedAt ?? part.finishedAt, part.finishedAt)
  checkConclusion(round, visit, failedAt, end, until)
  checkWaiting(round, waiting, end)
  for (const dueAt of waiting) if (dueAt <= end) round.unsent.push({ dueAt, until, part, scenario: visit.scenario, isDropped: failedAt <= part.finishedAt })
  const isLate = hasLateCause(round, visit, waiting, failedAt)
  for (const entry of sent) {
    entry.isLost = failedAt < Infinity
    // If the deadline of another one ended it, its duration is unknown. With HTTP/2 a stream may have its own end.
    entry.isOfUnknownTime = isLate && entry.socket.closedBy === 'client' && entry.cancelledWith === undefined && entry.resetAt === undefined && entry.spoiledAt === undefined
  }
  Object.assign(visit, { leftAt: end, hasLeft: failedAt <= part.finishedAt })
}

// The rest of a failed session is dropped in the same turn, when hooks that hold the thread are done; then its connections are closed.
function checkConclusion ({ must, isHeldByHooks }, { number, part, sockets }, failedAt, end, until) {
  const closed = sockets.filter(({ closedBy }) => closedBy === 'client').map(({ closedAt }) => closedAt / 1000)
  const latest = isHeldByHooks ? Math.min(part.finishedAt, ...closed.filter((at) => at > failedAt + ROUNDED_MS)) : end
  must(until >= end - ROUNDED_MS && until <= latest + ROUNDED_MS, `the session ${number} failed at ${end}, and what it had left was dropped at ${until}, and not by ${latest}`)
}

// A request that nobody sent was given up in time, see checkDeadlines.
function checkWaiting ({ must, timeout, canBeLate }, waiting, end) {
  const late = end - Math.min(...waiting) - timeout
  must(canBeLate || late <= 2 + timeout / 1000, `the deadline of a request that was never sent was noticed ${late} ms late`)
}

// Whether it failed by a deadline: of a request in flight, a waiting request, or a connection.
function hasLateCause ({ timeout }, { sent, sockets }, waiting, failedAt) {
  const dues = [...sent.filter(({ receivedAt }) => receivedAt === null).map(({ dueAt }) => dueAt), ...waiting]
  const attempts = sockets.filter(({ usableAt, closedBy }) => usableAt === null && closedBy === 'client').map(({ begunAt }) => begunAt / 1000)
  return failedAt < Infinity && [...dues, ...attempts].some((since) => since + timeout <= failedAt)
}

/**
 * The requests of a step, and those to which they redirect, each of which is due when its URL is known.
 *
 * @returns {{ waiting: number[], answeredAt: ?number }} the due times of unsent ones; when all were answered, null if they never were
 */
function takeStep ({ drawn: { opts } }, left, size, dueAt) {
  const waiting = Array.from({ length: size }, () => ({ dueAt, location: null }))
  let answeredAt = dueAt
  let hasAll = true
  while (left.length > 0 && waiting.length > 0) {
    const entry = left[0]
    const place = placeOf(entry, waiting)
    if (place === -1) break
    left.shift()
    const [{ dueAt: at, hops = 0 }] = waiting.splice(place, 1)
    entry.dueAt = at
    if (entry.receivedAt === null) {
      hasAll = false
      continue
    }
    answeredAt = Math.max(answeredAt, entry.receivedAt / 1000)
    const location = locationOf(entry)
    if (location !== null && hops < (opts.followRedirects ?? 0)) waiting.push({ dueAt: entry.receivedAt / 1000, location, hops: hops + 1 })
    // The session is over.
    else if (endsSession(opts, entry)) hasAll = false
  }
  return { waiting: waiting.map((each) => each.dueAt), answeredAt: hasAll && waiting.length === 0 ? answeredAt : null }
}

// Of several redirects to the same place, the first that was due: its request may have been sent after that of another one.
function placeOf ({ path }, waiting) {
  const isThere = ({ location }) => location !== null && path.endsWith(location)
  const first = waiting.filter(isThere).reduce((least, { dueAt }) => Math.min(least, dueAt), Infinity)
  const place = waiting.findIndex((each) => isThere(each) && each.dueAt === first)
  return place === -1 ? waiting.findIndex(({ location }) => location === null) : place
}

// When a session failed, by what was seen of it, or, if a request waited for too long, when its connections closed or at the end; Infinity: it has not, or that was not seen.
function failureOf ({ drawn: { opts }, timeout }, { sockets, sent, part, concludedAt = Infinity }, waiting) {
  const isCutOff = ({ closedBy, closedAt }) => closedBy === 'client' && closedAt / 1000 >= part.finishedAt
  const ends = sent.filter(({ receivedAt }) => receivedAt === null).map(({ dueAt, resetAt, spoiledAt, cancelledAt, expiredAt, socket }) => {
    const endedAt = resetAt ?? spoiledAt ?? cancelledAt
    if (expiredAt !== undefined || endedAt !== undefined) return Math.min(expiredAt ?? Infinity, (endedAt ?? Infinity) / 1000)
    return isCutOff(socket) && dueAt + timeout > part.finishedAt ? Infinity : socket.closedAt / 1000
  })
  const statuses = sent.filter((entry) => entry.receivedAt !== null && endsSession(opts, entry)).map(({ receivedAt }) => receivedAt / 1000)
  // An attempt that timed out may have ended the last session, and so the run.
  const isUp = ({ begunAt }) => begunAt / 1000 + timeout <= part.finishedAt
  const attempts = sockets.filter((socket) => socket.usableAt === null && (!isCutOff(socket) || isUp(socket))).map(({ closedAt }) => closedAt / 1000)
  // A user whose request waited for too long closes its connections, if any are open.
  const isTooLate = (at) => waiting.some((dueAt) => dueAt + timeout <= at)
  const given = [part.finishedAt, concludedAt, ...sockets.filter(({ closedBy }) => closedBy === 'client').map(({ closedAt }) => closedAt / 1000)]
  return Math.min(...ends, ...statuses, ...attempts, ...given.filter(isTooLate))
}

// By the statuses that fail a session, or by a class of them: `'5xx'`.
function endsSession ({ sessions: { failOn = [] } }, { answer }) {
  const status = typeof answer === 'number' ? answer : typeof answer?.status === 'number' ? answer.status : 200
  return failOn.some((which) => which === status || which === `${Math.floor(status / 100)}xx`)
}

const stepsOf = ({ walk, messages }) => walk?.steps.length ?? messages?.bodies.length ?? 1

// A user's pauses, ms: each call returns the next one.
function pausesOf (drawn, number, bursts, thinkTime) {
  const { seed, walk } = drawn
  if (thinkTime === undefined) return () => 0
  if (typeof thinkTime === 'number') return () => thinkTime * 1000
  const steps = drawn.mix === undefined && drawn.bursts === undefined ? stepsOf(drawn) : bursts.reduce((sum, size) => sum + size)
  let chance = null
  return () => {
    // The place in the sequence is that of the first request behind a pause.
    chance ??= new Chance(seed + (number + 1) * SEEDS_APART + ((drawn.mix === undefined ? walk?.bursts ?? drawn.bursts : bursts)?.[0] ?? 1) % steps)
    if (thinkTime.mean !== undefined) return thinkTime.mean * chance.exponential() * 1000
    const [from, to] = thinkTime
    return (from + (to - from) * chance.uniform()) * 1000
  }
}

module.exports = { findSessionDues, stepsOf }
