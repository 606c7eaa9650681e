'use strict'

const { CODES, CannonadeError, hookError, isDeadline, secondsInWords } = require('../../base/errors')
const { BEAT_MS } = require('../../metrics/standstills')
const world = require('../../world')
const Deadlines = require('./deadlines')
const Ending = require('./ending')
const Extent = require('./extent')
const createLoop = require('../loops/loop-of')
const Opening = require('./opening')
const createRecorder = require('./recorder-of')
const Window = require('./window')

// How long a connection on which nothing was sent has been open, at least, to count as one that could have been used.
const LEAST_LIFE_MS = 20

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
    this.closingSockets = pool.closingSockets
    // What a session sends comes due when its user is done with what went before, whatever the server does.
    this.isOpenModel = plan.schedule !== null || plan.sessions !== null
    this.isBroadcast = plan.websocket?.expect === 'broadcast'
    this.checksBody = listener.isExpectedBody !== null
    this.isExpectedBody = listener.isExpectedBody
    this.extent = new Extent(plan, part, pool.supply)
    this.recorder = createRecorder(plan, this.isBroadcast ? this.broadcastOf(part) : null)
    this.recorder.verifies = this.checksBody
    /** By what copies of messages are recognised that go out to all. */
    this.ids = this.isBroadcast ? pool.protocol.createIds(plan, this.recorder.messages.broadcast.run, part.share) : null
    this.loop = createLoop(plan, this.extent, part, this)
    this.ending = new Ending(this)
    this.deadlines = new Deadlines(this.connections, plan.timeout * 1000, this.isOpenModel, (now) => this.dropLate(now))
    this.opening = new Opening(this.connections, plan.timeout * 1000, this.isBroadcast)
    this.window = new Window(plan.sampleInt, { sample: (now) => listener.interval(this.interval(now), false), timeIsUp: () => this.ending.timeIsUp() })
    this.pings = null
    this.heart = null
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

  get connections () {
    return this.pool.connections
  }

  get watchesResponses () {
    return this.listener.watches('response')
  }

  /** Whether a connection that is not there is worth opening. */
  needs (connection) {
    return this.maySend && this.loop.needsConnections && this.loop.hasRequestsFor(connection)
  }

  /** Of a recording: the number of the request that was due then. */
  arrivalAt (dueAt) {
    return this.loop.arrivalAt(dueAt)
  }

  /** Whether the clock starts when the connections are open: they are not part of what is measured. */
  get opensAhead () {
    return this.isOpenModel || this.isBroadcast
  }

  /** Whether requests may still go out. */
  get maySend () {
    return (this.window.isOpen || this.loop.outlivesWindow) && !this.isFinishing
  }

  /** Takes over from an earlier phase; remaining back-off is kept. */
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
    const open = this.connections.filter(({ isOpen }) => isOpen)
    this.recorder.inheritConnections(open.map(({ target }) => target))
    if (this.isBroadcast) for (const { index } of open) this.recorder.messages.broadcast.joined(index)
    this.pool.adopt(this)
    if (this.isFinishing || !this.opensAhead) return Promise.resolve()
    this.deadlines.begin()
    this.pool.open()
    return this.opening.wait()
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
    const { longestWindow } = this.extent
    if (longestWindow !== Infinity) this.window.endAt(now + longestWindow * 1000)
    this.ending.begin()
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

  // Times in ms since this phase began.
  interval (now) {
    const { startedAt } = this.window
    const interval = this.recorder.takeInterval(now)
    return { ...interval, start: interval.start - startedAt, end: interval.end - startedAt }
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
    if (!this.window.hasBegun && connection.room > 0) this.opening.settle(connection)
    if (this.maySend) {
      this.loop.ready(connection, now)
      // One that has only just been opened is there for as long as it stays open, see `closed`.
      if (connection.sentHere > 0) this.ending.sawServer()
    }
    this.checkEnd()
  }

  closed (connection, wasOpen) {
    this.opening.settle(connection)
    this.loop.closed(connection)
    if (!this.hasEnded) this.pool.backOff(connection)
    const isNeeded = connection.isOwing ? this.maySend : this.needs(connection) && connection.isWorthReopening
    const pause = isNeeded ? this.pool.reopen(connection) : 0
    // A server that took the connection is there: the time without any begins when it has had the chance to take the next.
    if (wasOpen && this.maySend && wasOfUse(connection)) this.ending.sawServer(pause)
    this.checkEnd()
  }

  unwritten (connection, dueAt) {
    this.loop.unwritten(connection, dueAt)
  }

  /** @param {?Progress} progress of one that failed since a deadline passed */
  requestFailed (endpoint, dueAt, sentAt, now, code, phase, message, connection, progress = null) {
    this.recorder.failedRequest(endpoint, dueAt, sentAt, now, code, phase, message, progress)
    this.loop.lost(connection, progress !== null)
    this.errorHappened(code, message)
  }

  requestTimedOut (endpoint, dueAt, sentAt, connection, progress) {
    const { websocket, timeout } = this.plan
    const message = `${websocket === null ? 'request timed out: no complete response' : 'message timed out: no complete answer'} within ${secondsInWords(timeout)}`
    this.recorder.timedOutRequest(endpoint, dueAt, sentAt, CODES.RESPONSE_TIMEOUT, message, progress, world.now())
    this.loop.lost(connection, true)
    this.errorHappened(CODES.RESPONSE_TIMEOUT, message)
  }

  connectionFailed (code, phase, message, connection) {
    this.recorder.failedConnection(code, phase, message, connection.target)
    if (isDeadline(code)) this.recorder.missing.unopened(connection.handshake.waits(world.now()), false)
    this.loop.lost(connection, isDeadline(code))
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

  /** Something has come to its end. */
  checkEnd () {
    this.ending.check()
  }

  /** Copies have come of what was sent to all. */
  copiesCame () {
    if (!this.window.isOpen) this.checkEnd()
  }

  checkBailout () {
    if (this.plan.bailout !== null && this.listener.countFailure() >= this.plan.bailout) this.listener.bailOut()
  }

  /** Ends this phase with what it has, at once: nothing is sent any more, the accounts are closed in the next tick. */
  finish (now = world.now()) {
    if (this.isFinishing) return
    this.isFinishing = true
    if (this.window.hasBegun) this.closeSoon(now)
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
    if (this.window.isOpen) this.closeWindow(now)
    this.ending.clear()
    world.clearInterval(this.pings)
    world.clearInterval(this.heart)
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
    if (!this.window.hasBegun || this.hasEnded) return
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
      scheduleSeconds: this.ending.scheduleSpan ?? Math.min(seconds, this.extent.longestWindow),
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

module.exports = Phase
