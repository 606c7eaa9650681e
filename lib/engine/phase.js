'use strict'

const { CODES, CannonadeError, hookError, secondsInWords } = require('../errors')
const { endOfArrivals, scheduleDuration } = require('../load')
const { BEAT_MS } = require('../metrics/standstills')
const world = require('../world')
const { LongTimer } = require('../world/long-timer')
const ClosedLoop = require('./closed-loop')
const ConnectionWatch = require('./connection-watch')
const OpenLoop = require('./open-loop')
const SessionLoop = require('./sessions/session-loop')
const Deadlines = require('./deadlines')
const Opening = require('./opening')
const { pacerOf, requestsOf, shareOf } = require('./part')
const createRecorder = require('./recorder-of')
const Window = require('./window')

// How long a connection on which nothing was sent has been open, at least, to count as one that could have been used.
const LEAST_LIFE_MS = 20
// How often the end of a broadcast is looked for, while its last copies are awaited.
const COPIES_EVERY_MS = 10

/**
 * One measured stretch of load over a pool of connections: the warm-up, or the run itself, to the last request
 * accounted for:
 *
 *     connect ──── begin ──── window: scheduling, sending, samples ──── timeIsUp ──── drain (open model) ──── finish
 *
 * It is the owner of the connections meanwhile.
 */
class Phase {
  /**
   * @param {object} plan of this phase
   * @param {Pool} pool
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   * @param {object} listener `interval(interval, isLast)`, `ended(outcome)`, `fail(error)`, `warn(warning)`,
   *   `watches(event)`, `requestError(error)`, `mismatch(body)`, `response(client, …)`; `isExpectedBody(text)` or null
   */
  constructor (plan, pool, part, listener) {
    this.plan = plan
    this.pool = pool
    this.listener = listener
    this.memos = pool.memos
    this.partings = pool.partings
    // What a session sends comes due when its user is done with what went before, whatever the server does.
    this.isOpenModel = plan.schedule !== null || plan.sessions !== null
    // What a closed-model run has in flight at its end is left alone (docs/measurement.md,
    // "The start and the end of a run"); a warm-up wants its connections back.
    this.isBroadcast = plan.websocket?.expect === 'broadcast'
    this.drains = this.isOpenModel || pool.keepsConnections || this.isBroadcast
    this.checksBody = listener.isExpectedBody !== null
    this.isExpectedBody = listener.isExpectedBody
    this.total = requestsOf(totalOf(plan), plan.connections, part)
    this.endsWithRows = pool.supply !== Infinity
    // Not where a row may take more requests, or where each connection has a schedule, and so a number of them, of its own.
    const isKnown = plan.followRedirects === null && !plan.schedule?.perConnection
    if (isKnown) this.total = Math.min(this.total, pool.supply)
    this.recorder = createRecorder(plan, this.isBroadcast ? this.broadcastOf(part) : null)
    /** By what copies of messages are recognised that go out to all. */
    this.ids = this.isBroadcast ? pool.protocol.createIds(plan, this.recorder.messages.broadcast.run, part.share) : null
    this.loop = this.createLoop(part)
    this.deadlines = new Deadlines(this.connections, plan.timeout * 1000, this.isOpenModel, (now) => this.dropLate(now))
    this.opening = new Opening(this.connections, plan.timeout * 1000, this.isBroadcast)
    this.window = new Window(plan.sampleInt, this)
    this.watch = null
    this.drainTimer = null
    this.copyTimer = null
    this.pings = null
    this.heart = null
    this.isPastSchedule = false
    /** Hooks that have been called and not settled yet; of these, calls of verifyBody. */
    this.pendingHooks = 0
    this.pendingVerdicts = 0
    this.isFinishing = false
    this.hasEnded = false
  }

  // The ids of a warm-up are others than those of the run.
  broadcastOf ({ share, copies }) {
    const { websocket: { runId, isWarmup = false }, timeout, drain } = this.plan
    return { run: runId + (isWarmup ? 'w' : 'r'), part: share, shared: copies?.[isWarmup ? 'warmup' : 'run'], retention: (timeout + drain) * 1000 }
  }

  createLoop (part) {
    if (this.plan.sessions !== null) return this.createSessionLoop(part)
    if (!this.isOpenModel) return new ClosedLoop(this.plan, this.total, part, this.connections)
    const pacer = pacerOf(this.plan, part, { duration: this.longestWindow, total: totalOf(this.plan) })
    return new OpenLoop(this.plan, pacer, this.total, this)
  }

  // Sessions are dealt to the threads one by one.
  createSessionLoop (part) {
    const { schedule, sessions } = this.plan
    const total = sessions.amount ?? Infinity
    const pacer = schedule === null ? null : pacerOf({ schedule, connections: part.of }, part, { duration: this.longestWindow, total })
    const budget = total === Infinity ? Infinity : shareOf(total, part)
    return new SessionLoop(this.plan, pacer, Math.min(budget, this.pool.rowsLeft), part, this)
  }

  /** For the loop: a session, with connections of its own. */
  createVisit (loop, place) {
    return this.pool.createVisit(loop, place)
  }

  /** How many requests, or sessions, the whole run is to have, in all its parts; null where time ends it. */
  get amount () {
    return this.plan.sessions === null ? this.plan.amount : this.plan.sessions.amount
  }

  /** Seconds; a run by amount takes as long as it takes. */
  get longestWindow () {
    return this.amount === null ? this.plan.duration : Infinity
  }

  get isInWindow () {
    return this.window.endedAt === null
  }

  get connections () {
    return this.pool.connections
  }

  get watchesResponses () {
    return this.listener.watches('response')
  }

  get needsConnections () {
    return this.maySend && this.loop.needsConnections
  }

  /** How long the loop has done nothing but look at the clock, ms. */
  get watchingTime () {
    return this.isOpenModel ? this.loop.watchingTime : 0
  }

  // Due, and not sent: queued for a connection, or still being set up by a hook.
  get waiting () {
    const { scheduled, unsent, sent } = this.recorder
    return scheduled - unsent - sent
  }

  /** Of a recording: the number of the request that was due then. */
  arrivalAt (dueAt) {
    return this.loop.arrivalAt(dueAt)
  }

  /** Whether something is due that has not been sent, or a session that has not begun. */
  get isWaiting () {
    return this.plan.sessions === null ? this.waiting > 0 : this.loop.isWaiting
  }

  /** Whether the run is over when so many sessions are. */
  get endsWithSessions () {
    return this.plan.sessions !== null && this.amount !== null
  }

  /** What share of the connections' time hooks of the user's take: now, and of those that are free of them, before. */
  get heldShare () {
    if (!this.pool.scripts.areNeeded || this.connections.length === 0) return 0
    return this.connections.reduce((sum, connection) => sum + connection.heldShare, 0) / this.connections.length
  }

  get inFlight () {
    return this.recorder.sent - this.recorder.settled
  }

  /** Whether nothing is under way, not even in a hook, and nobody is there who would send more. */
  get isSettled () {
    return this.inFlight === 0 && this.pendingHooks === 0 && this.loop.isIdle
  }

  /** The same, and no copy is to come of what was sent to all. */
  get isQuiet () {
    return this.isSettled && !this.awaitsCopies
  }

  /** Whether copies are still to come of what was sent to all: of ours, and of what other parts of the run have sent. */
  get awaitsCopies () {
    return this.isBroadcast && this.recorder.messages.broadcast.awaitsCopies(world.origin() + world.now())
  }

  /** Whether the clock starts when the connections are open: they are not part of what is measured. */
  get opensAhead () {
    return this.isOpenModel || this.isBroadcast
  }

  /** Whether requests may still go out. */
  get maySend () {
    return (this.isInWindow || this.loop.outlivesWindow) && !this.isFinishing
  }

  /** Comes behind another phase: who waits there before he tries again waits here for the rest of it. */
  follow (earlier) {
    if (earlier.pool !== this.pool) this.pool.inheritBackOff(earlier.pool)
    this.loop.inheritBackOff(earlier.loop)
  }

  // --- before the clock starts

  /**
   * Takes over the connections. For the open model it opens them as well and waits for them: a schedule that began
   * earlier would call the time for connecting latency, and send what has come due meanwhile in one burst. What goes out to
   * all needs all of them.
   *
   * @returns {Promise} when `begin` may be called; `finish` ends the wait
   */
  connect () {
    this.recorder.inheritConnections(this.connections.filter(({ isOpen }) => isOpen).length)
    this.pool.adopt(this)
    if (this.isFinishing || !this.opensAhead) return Promise.resolve()
    this.deadlines.begin()
    this.pool.open()
    return this.opening.wait()
  }

  get hasBegun () {
    return this.window.startedAt !== null
  }

  // --- the window

  /** @param {number} [now] when the clock of this phase starts, ms; a little ago, where several threads start as one */
  begin (now = world.now()) {
    this.window.begin(now)
    this.recorder.begin(now)
    this.pings = this.startPings()
    this.heart = world.setInterval(() => this.recorder.look(world.now()), BEAT_MS)
    if (!this.opensAhead) this.deadlines.begin()
    if (this.isFinishing) {
      this.closeSoon(now)
      return
    }
    if (this.longestWindow !== Infinity) this.window.endAt(now + this.longestWindow * 1000)
    if (this.total !== Infinity || this.endsWithRows) this.watchForConnections()
    this.loop.begin(now)
    // A member of a crew may be late for the common start.
    for (const connection of this.connections) {
      if (connection.isOpen) this.loop.ready(connection, world.now())
    }
    if (!this.opensAhead) this.pool.open()
    // A part of a small amount may be nothing at all.
    this.checkEnd()
  }

  // One timer for the Pings of all connections.
  startPings () {
    const interval = this.plan.websocket?.pingInterval ?? null
    if (interval === null) return null
    return world.setInterval(() => {
      for (const connection of this.connections) connection.sendPing()
    }, interval * 1000)
  }

  sample (now) {
    this.listener.interval(this.interval(now), false)
  }

  // Times in ms since this phase began.
  interval (now) {
    const { startedAt } = this.window
    const interval = this.recorder.takeInterval(now)
    return { ...interval, start: interval.start - startedAt, end: interval.end - startedAt }
  }

  /** For the loop: its last request has come due, the one after would have been due at `time`. */
  scheduleEnded (time) {
    const { window, amount, plan: { schedule } } = this
    // Without a number to reach the window ends by the clock, though nothing may come due for the last part of it.
    if (this.total === Infinity && amount === null) return
    const total = amount ?? totalOf(this.plan)
    const count = total === Infinity ? this.recorder.scheduled : total
    // Stages come to an end by themselves.
    const longest = Math.min(this.longestWindow, scheduleDuration(schedule)) * 1000
    this.scheduleSpan = Math.min(endOfArrivals(schedule, count, (time - window.startedAt) / 1000) * 1000, longest)
    if (amount !== null) window.endAt(window.startedAt + this.scheduleSpan)
  }

  timeIsUp () {
    if (!this.maySend) return
    const now = world.now()
    this.recorder.look(now)
    this.isPastSchedule = true
    // What held the thread up while the loop was sending, such as a hook, may have kept it from seeing what came due.
    if (this.isOpenModel) this.loop.notice(now)
    // An amount is of requests that are sent, however long that takes.
    if (this.amount !== null && this.isWaiting) return
    this.closeWindow(now)
    // Sessions that were asked for by number come to their end, each by the deadlines of its requests.
    if (this.endsWithSessions && !this.isSettled) return
    if (!this.drains || this.isQuiet || this.plan.drain === 0) this.finish(now)
    else this.beginDrain()
  }

  beginDrain () {
    this.drainTimer = new LongTimer(() => this.finish(), this.plan.drain * 1000)
    // What other parts of the run have heard, and that copies are late, is told by nobody.
    if (this.isBroadcast) this.copyTimer = world.setInterval(() => this.checkEnd(), COPIES_EVERY_MS)
  }

  closeWindow (now) {
    const { window } = this
    window.close(now)
    this.loop.end(now)
    // What is late by now belongs to the last sample, though no timer has seen it yet.
    this.deadlines.expireLate(now)
    this.listener.interval(this.interval(window.endedAt), true)
    this.completedInWindow = this.recorder.completed
    this.recorder.messages?.broadcast?.closeWindow()
  }

  // --- what connections tell their owner

  ready (connection, now) {
    // A setupClient that is not done yet keeps the room for itself.
    if (!this.hasBegun && connection.room > 0) this.opening.settle(connection)
    if (this.maySend) {
      this.loop.ready(connection, now)
      // One that has only just been opened is there for as long as it stays open, see `closed`.
      if (connection.sentHere > 0) this.watch?.restart()
    }
    this.checkEnd()
  }

  closed (connection, wasOpen) {
    this.opening.settle(connection)
    this.loop.closed(connection)
    if (!this.hasEnded) this.pool.backOff(connection)
    const isNeeded = connection.isOwing ? this.maySend : this.needsConnections && connection.isWorthReopening
    const pause = isNeeded ? this.pool.reopen(connection) : 0
    // A server that took the connection is there: the time without any begins when it has had the chance to take the next.
    if (wasOpen && this.maySend && wasOfUse(connection)) this.watch?.restart(pause)
    this.checkEnd()
  }

  unwritten (connection, dueAt) {
    this.loop.unwritten(connection, dueAt)
  }

  requestFailed (endpoint, dueAt, sentAt, now, code, phase, message, connection) {
    this.recorder.failedRequest(endpoint, dueAt, sentAt, now, code, phase, message)
    this.loop.lost(connection)
    this.errorHappened(code, message)
  }

  requestTimedOut (endpoint, dueAt, sentAt, connection) {
    const message = `request timed out: no complete response within ${secondsInWords(this.plan.timeout)}`
    this.recorder.timedOutRequest(endpoint, dueAt, sentAt, CODES.RESPONSE_TIMEOUT, message)
    this.loop.lost(connection)
    this.errorHappened(CODES.RESPONSE_TIMEOUT, message)
  }

  connectionFailed (code, phase, message, connection) {
    this.recorder.failedConnection(code, phase, message)
    this.loop.lost(connection)
    this.errorHappened(code, message)
  }

  /** A connection broke while no request was on it: no request is lost, but it has to be named. */
  connectionBroken (code, phase, message) {
    this.recorder.errorCodes.count(code, phase, message)
    if (this.listener.watches('reqError')) this.listener.requestError(new CannonadeError(code, message))
  }

  errorHappened (code, message) {
    if (this.listener.watches('reqError')) this.listener.requestError(new CannonadeError(code, message))
    this.checkBailout()
  }

  mismatched (body) {
    this.recorder.mismatches++
    this.listener.mismatch(body)
    this.checkBailout()
  }

  sequenceReset () {
    this.recorder.resets++
  }

  responded (connection, status, bytes, milliseconds) {
    this.pool.scripts.ensure(connection)
    this.listener.response(connection.script.client, status, bytes, milliseconds)
  }

  /** The user's code has thrown. Numbers made with broken hooks are no numbers, so the run ends with this error. */
  hookFailed (name, cause) {
    this.listener.fail(hookError(name, cause))
  }

  /** Something that the result has to say, once. */
  warn (warning) {
    this.listener.warn(warning)
  }

  // What has waited too long for a connection; gives the due time of what waits still.
  dropLate (now) {
    this.recorder.look(now)
    const oldest = this.loop.dropAllLate(now)
    this.checkEnd()
    return oldest
  }

  // --- the end

  checkEnd () {
    if (this.window.endedAt !== null) {
      if (this.isQuiet) this.finish()
      // The last of the sessions that were asked for by number has left, and copies are missing.
      else if (this.isBroadcast && this.isSettled && this.drainTimer === null) this.beginDrain()
      return
    }
    if (!this.hasBegun) return
    if (this.plan.sessions !== null) {
      this.checkSessions()
      return
    }
    if (this.pool.isSpent && this.isSettled) {
      this.loop.forget()
      this.finishWithCopies()
      return
    }
    if (this.total === Infinity) return
    const { settled, unsent, scheduled } = this.recorder
    const expected = this.loop.isExhausted ? Math.min(this.total, scheduled) : this.total
    if (settled + unsent >= expected && this.pendingHooks === 0) this.finishWithCopies()
    else if (this.isPastSchedule && this.waiting === 0) this.timeIsUp()
  }

  finishWithCopies () {
    if (this.isBroadcast) this.timeIsUp()
    else this.finish()
  }

  /** Copies have come of what was sent to all. */
  copiesCame () {
    if (!this.isInWindow) this.checkEnd()
  }

  checkSessions () {
    if (!this.endsWithSessions) return
    if (this.loop.isExhausted && this.isSettled) this.finishWithCopies()
    else if (this.isPastSchedule && !this.isWaiting) this.timeIsUp()
  }

  checkBailout () {
    if (this.plan.bailout !== null && this.listener.countFailure() >= this.plan.bailout) this.listener.bailOut()
  }

  watchForConnections () {
    const { timeout } = this.plan
    const isUsable = () => this.recorder.connections > 0 && !(this.isSettled && this.pool.isStranded)
    this.watch = new ConnectionWatch(timeout * 1000, isUsable, () => {
      this.listener.warn({
        code: 'NO_USABLE_CONNECTION',
        message: `The run ended early: for ${secondsInWords(timeout)} there was no usable connection to the server.`
      })
      this.finish()
    })
    // Nobody can miss a connection that the ramp has not begun yet.
    this.watch.restart(this.pool.firstDelay)
  }

  /** Ends this phase with what it has, at once: nothing is sent any more, the accounts are closed in the next tick. */
  finish (now = world.now()) {
    if (this.isFinishing) return
    this.isFinishing = true
    if (this.hasBegun) this.closeSoon(now)
    else this.opening.end()
  }

  // Not here and now: the caller may stand in the middle of a packet with more responses in it.
  closeSoon (now) {
    this.finishedAt = now
    world.nextTick(() => this.close())
  }

  close () {
    // One instant for all accounts: a deadline that passes while they are closed is none of theirs.
    const now = this.finishedAt
    if (this.window.endedAt === null) this.closeWindow(now)
    this.drainTimer?.clear()
    world.clearInterval(this.copyTimer)
    world.clearInterval(this.pings)
    world.clearInterval(this.heart)
    this.watch?.end()
    this.deadlines.end(now)
    this.hasEnded = true
    this.recorder.undecided = this.pendingVerdicts
    this.pool.abandon(now)
    this.loop.leaveUnsent(now)
    this.recorder.takeInterval(now)
    if (!this.isOpenModel) this.recorder.scheduled = this.recorder.sent
    this.listener.ended(this.outcome(now))
  }

  /** Ends this phase here and now, for a thread that will see no next tick. */
  cutOff () {
    if (!this.hasBegun || this.hasEnded) return
    this.isFinishing = true
    this.finishedAt = world.now()
    this.close()
  }

  outcome (now) {
    const { startedAt, endedAt } = this.window
    const seconds = (endedAt - startedAt) / 1000
    return {
      summaries: [this.recorder.summary()],
      seconds,
      // The schedule may be shorter than the window, which is seen to end a little late, or end after the last answer.
      scheduleSeconds: this.scheduleSpan === undefined ? Math.min(seconds, this.longestWindow) : this.scheduleSpan / 1000,
      drain: {
        seconds: Math.max(0, Math.round(this.finishedAt - endedAt)) / 1000,
        completed: this.recorder.completed - this.completedInWindow
      }
    }
  }
}

// A connection that is taken and closed at once, before anything could be sent, is none: who goes on like that would keep a
// run by amount from its end for ever.
function wasOfUse ({ sentHere, closedAt, freeSince }) {
  return sentHere > 0 || closedAt - freeSince >= LEAST_LIFE_MS
}

// How many requests end the run, in all its parts together. Rows that are used up end each part by themselves.
function totalOf ({ amount, maxOverallRequests, maxConnectionRequests, connections, feed }) {
  const inAll = (feed?.amount ? null : amount) ?? maxOverallRequests
  if (inAll !== null) return inAll
  return maxConnectionRequests === null ? Infinity : maxConnectionRequests * connections
}

module.exports = Phase
