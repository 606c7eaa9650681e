'use strict'

const { CannonadeError, hookError, isDeadline } = require('../../base/errors')
const { responseTimeout } = require('../../base/faults')
const { NO_PROGRESS } = require('../../metrics/missing-times')
const { BEAT_MS } = require('../../metrics/standstills')
const world = require('../../world')
const Deadlines = require('./deadlines')
const Ending = require('./ending')
const Extent = require('./extent')
const createLoop = require('../loops/loop-of')
const Opening = require('./opening')
const createRecorder = require('./recorder-of')
const Window = require('./window')

// The minimum lifetime of a connection that sent nothing to count as usable.
const LEAST_LIFE_MS = 20

/**
 * One measured period of load over a pool of connections, the warm-up or the run itself, until the last request is accounted for:
 *
 *     connect ──── begin ──── window: scheduling, sending, samples ──── timeIsUp ──── drain (open model) ──── finish
 *
 * During this time it owns the connections.
 */
class Phase {
  /**
   * @param {object} plan of this phase
   * @param {Pool} pool
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   * @param {object} listener `interval(interval, isLast)`, `ended(outcome)`, `fail(error)`, `warn(warning)`,
   *   `watches(event)`, `requestError(error)`, `mismatch(body)`, `response(client, …)`; `isExpectedBody(text)` or null; `record`,
   *   see recorder-of.js
   */
  constructor (plan, pool, part, listener) {
    this.plan = plan
    this.pool = pool
    this.listener = listener
    this.memos = pool.memos
    this.closingSockets = pool.closingSockets
    // Requests of a session come due by the user's think times, not by the server's readiness for more.
    this.isOpenModel = plan.schedule !== null || plan.sessions !== null
    this.isBroadcast = plan.websocket?.expect === 'broadcast'
    this.checksBody = listener.isExpectedBody !== null
    this.isExpectedBody = listener.isExpectedBody
    this.extent = new Extent(plan, part, pool.supply)
    this.recorder = createRecorder(plan, this.isBroadcast ? this.broadcastOf(part) : null, listener.record ?? null)
    if (this.checksBody) this.recorder.verifyBodies()
    /** Identifies the copies of broadcast messages. */
    this.ids = this.isBroadcast ? pool.protocol.createIds(plan, this.recorder.messages.broadcast.run, part.share) : null
    this.loop = createLoop(plan, this.extent, part, this)
    this.ending = new Ending(this)
    this.deadlines = new Deadlines(this.connections, plan.timeout * 1000, this.isOpenModel, (now) => this.dropLate(now))
    this.opening = new Opening(this.connections, plan.timeout * 1000, this.isBroadcast)
    this.window = new Window(plan.sampleInt, { sample: (now) => listener.interval(this.interval(now), false), timeIsUp: () => this.ending.timeIsUp(true) })
    this.pings = null
    this.heart = null
    /** Hooks that have been called but have not settled. */
    this.pendingHooks = 0
    /** Connections that will be ready at the end of this turn of the event loop. */
    this.readySoon = 0
    this.isClosingWindow = false
    this.isFinishing = false
    this.isInterrupted = false
    this.hasEnded = false
  }

  // The warm-up uses different ids from the run.
  broadcastOf ({ share, copies }) {
    const { isWarmup = false, websocket: { runId }, timeout, drain } = this.plan
    return { run: runId + (isWarmup ? 'w' : 'r'), part: share, shared: copies?.[isWarmup ? 'warmup' : 'run'], retention: (timeout + drain) * 1000 }
  }

  get connections () {
    return this.pool.connections
  }

  get watchesResponses () {
    return this.listener.watches('response')
  }

  /** Whether a closed connection is worth opening. */
  needs (connection) {
    return this.maySend && this.loop.needsConnections && this.loop.hasRequestsFor(connection)
  }

  /** What a call of user code is counted under: see CallEndpoints. */
  stepOf (method, path, title, scenario, now) {
    const step = this.recorder.called.stepOf(method, path, title, scenario, now)
    this.memos[step.endpoint] ??= new this.pool.protocol.Memo()
    return step
  }

  /** For a recording: the number of the request that was due at this time. */
  arrivalAt (dueAt) {
    return this.loop.arrivalAt(dueAt)
  }

  /** Whether connections open before the clock starts, so that opening them is not measured. */
  get opensAhead () {
    return this.isOpenModel || this.isBroadcast
  }

  /** Whether requests may still be sent. */
  get maySend () {
    return (this.window.isOpen || this.loop.outlivesWindow) && !this.isFinishing
  }

  /** Takes over the remaining back-off from the phase before. */
  follow (earlier) {
    if (earlier.pool !== this.pool) this.pool.inheritBackOff(earlier.pool)
    this.loop.inheritBackOff(earlier.loop)
  }

  // --- before the clock starts

  /**
   * Takes over the connections. In the open model, and for broadcasts, it also opens them and waits for them: if the schedule
   * began earlier, the latencies would include the time for connecting, and the requests that came due meanwhile would be sent in
   * one burst. A broadcast needs all connections.
   *
   * @returns {Promise} resolves when `begin` may be called; `finish` ends the wait early
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

  /**
   * @param {number} [now] when the clock of this phase starts, ms; may be slightly in the past if several threads start together
   */
  begin (now = world.now()) {
    this.window.begin(now)
    this.recorder.begin(now)
    this.recorder.flights?.begin(now, world.origin())
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
    // A member of a group may miss the common start, so the time is read again.
    for (const connection of this.connections) {
      if (connection.isOpen) this.loop.ready(connection, world.now())
    }
    if (!this.opensAhead) this.pool.open()
    // If the amount is small, this part of it may be zero.
    this.checkEnd()
  }

  // One timer sends the Pings of all connections.
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

  /** @param {number} now ms @param {boolean} [isByTimer] nothing is in the middle of parsing a packet or closing a connection */
  closeWindow (now, isByTimer = false) {
    const { window } = this
    window.close(now)
    this.isClosingWindow = true
    this.loop.end(now)
    // Expire what is late by now, so that it counts in the last sample even if the timer has not fired yet.
    this.deadlines.expireLate(now)
    this.loop.dropAllLate(now)
    if (this.isFinishing || isByTimer) this.loop.endFailed(now)
    this.listener.interval(this.interval(window.endedAt), true)
    this.completedInWindow = this.recorder.completed
    this.recorder.messages?.broadcast?.closeWindow()
    this.isClosingWindow = false
  }

  // --- calls from connections

  ready (connection, now) {
    // If setupClient is still running, the connection has no room yet.
    if (!this.window.hasBegun && connection.room > 0) this.opening.settle(connection)
    if (this.maySend) {
      this.loop.ready(connection, now)
      // A newly opened connection only counts as a sign of the server if it stays open, see `closed`.
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
    // A server that accepted the connection is there: restart the time limit, and extend it by the pause before the next attempt.
    if (wasOpen && this.maySend && wasUsable(connection)) this.ending.sawServer(pause)
    this.checkEnd()
  }

  /** A closed connection has requests again that only it can send; when it closed, there may have been none. */
  reconsider (connection) {
    if (!connection.isInUse && this.needs(connection) && connection.isWorthReopening) this.pool.openAgain(connection)
  }

  unwritten (connection, dueAt) {
    this.loop.unwritten(connection, dueAt)
  }

  /**
   * @param {?Progress} progress of a request that failed because a deadline passed
   * @param {number} [slot] of the connection in which the request was
   * @param {Progress} [seen] its progress, whatever the reason
   */
  requestFailed (endpoint, dueAt, sentAt, now, fault, connection, progress = null, slot = connection.lastTaken, seen = NO_PROGRESS) {
    this.recorder.failedRequest(endpoint, dueAt, sentAt, now, fault, progress, connection, slot, seen)
    this.loop.lost(connection, progress !== null, fault)
    this.errorHappened(fault)
  }

  /** @param {number} [timeout] of this request, ms @param {number} [slot] of the connection in which the request was */
  requestTimedOut (endpoint, dueAt, sentAt, connection, progress, timeout = this.plan.timeout * 1000, slot = connection.lastTaken) {
    const { websocket } = this.plan
    const fault = responseTimeout(websocket === null ? 'request timed out: no complete response' : 'message timed out: no complete answer', timeout / 1000)
    this.recorder.timedOutRequest(endpoint, dueAt, sentAt, fault, progress, world.now(), timeout, connection, slot)
    this.loop.lost(connection, true, fault)
    this.errorHappened(fault)
  }

  connectionFailed (fault, connection) {
    const isLate = isDeadline(fault.code)
    this.recorder.failedConnectionOf(this.scenarioOf(connection), fault, connection.target, world.now())
    if (isLate) this.recorder.missing.unopened(connection.handshake.waits(world.now()), false)
    this.loop.notOpened(connection, isLate, fault)
    this.errorHappened(fault)
  }

  /** A connection broke without a request in flight: no request is lost, but the error must be reported. */
  connectionBroken (fault) {
    this.recorder.errorCodes.count(fault, world.now())
    this.reportError(fault)
  }

  errorHappened (fault) {
    this.reportError(fault)
    this.checkBailout()
  }

  reportError ({ code, message }) {
    if (this.listener.watches('reqError')) this.listener.requestError(new CannonadeError(code, message))
  }

  /** The scenario of a connection's session, by its index; null without scenarios. */
  scenarioOf (connection) {
    return this.loop.scenarioOf(connection)
  }

  mismatched (body, scenario) {
    this.recorder.mismatchedOf(scenario)
    this.listener.mismatch(body)
    this.checkBailout()
  }

  /** A call of verifyBody has to be awaited (`by` is 1), or has settled (-1). */
  verdictPends (scenario, by) {
    this.recorder.verdictPendsOf(scenario, by)
  }

  sequenceReset () {
    this.recorder.resets++
  }

  responded (connection, status, bytes, milliseconds) {
    this.pool.scripts.ensure(connection)
    this.listener.response(connection.script.client, status, bytes, milliseconds)
  }

  /** The user's code has thrown. Results with broken hooks are meaningless, so the run ends with this error. */
  hookFailed (name, cause) {
    this.listener.fail(hookError(name, cause))
  }

  warn (warning) {
    this.listener.warn(warning)
  }

  // Drops requests that have waited too long for a connection; returns the due time of the oldest that still waits.
  dropLate (now) {
    this.recorder.look(now)
    const oldest = this.loop.dropAllLate(now)
    this.checkEnd()
    return oldest
  }

  // --- the end

  /** Called when something has ended, which may end the phase. */
  checkEnd () {
    this.ending.check()
  }

  /** Called when copies of broadcast messages have arrived. */
  copiesCame () {
    if (!this.window.isOpen) this.checkEnd()
  }

  checkBailout () {
    if (this.plan.bailout !== null && this.listener.countFailure() >= this.plan.bailout) this.listener.bailOut()
  }

  /**
   * Ends this phase immediately with its results so far: nothing more is sent, and the accounts are closed in the next tick.
   *
   * @param {number} [now] ms
   * @param {boolean} [byPerson] see LocalEngine.stop
   */
  finish (now = world.now(), byPerson = false) {
    if (this.isFinishing) return
    this.isFinishing = true
    this.isInterrupted = byPerson
    // What expires while the window is being closed may end the phase: then at the same instant, not at one that no sample covers.
    if (this.window.hasBegun) this.closeSoon(this.isClosingWindow ? this.window.endedAt : now)
    else this.opening.end()
  }

  // Not synchronously, since the caller may be in the middle of a packet that contains more responses.
  closeSoon (now) {
    this.finishedAt = now
    world.nextTick(() => this.close())
  }

  close () {
    // The same instant for all accounts: deadlines that pass while they are being closed do not count.
    const now = this.finishedAt
    if (this.window.isOpen) this.closeWindow(now)
    this.ending.clear()
    world.clearInterval(this.pings)
    world.clearInterval(this.heart)
    this.deadlines.end(now)
    this.loop.dropAllLate(now)
    this.loop.endFailed(now)
    this.hasEnded = true
    this.recorder.leaveUndecided()
    if (this.isInterrupted) this.recorder.interrupt()
    this.pool.abandon(now)
    this.loop.leaveUnsent(now)
    this.recorder.takeInterval(now)
    if (!this.isOpenModel) this.recorder.scheduled = this.recorder.sent
    this.listener.ended(this.outcome(now))
  }

  /** Ends this phase synchronously, for a thread that will not run another tick. */
  cutOff () {
    if (!this.window.hasBegun || this.hasEnded) return
    this.isFinishing = true
    this.finishedAt = world.now()
    this.close()
  }

  outcome (now) {
    const { startedAt, endedAt } = this.window
    const seconds = (endedAt - startedAt) / 1000
    // Data that the result keeps should be short. Other data is only merged, so it needn't be encoded.
    const dataOf = this.plan.skipAggregateResult ? undefined : (distribution) => distribution.toSparse()
    return {
      summaries: [this.recorder.summary(dataOf)],
      isInterrupted: this.isInterrupted,
      seconds,
      // The schedule may be shorter than the window, whose end is noticed slightly late or comes after the last response.
      scheduleSeconds: this.ending.scheduleSeconds ?? Math.min(seconds, this.extent.longestWindow),
      drain: {
        seconds: Math.max(0, Math.round(this.finishedAt - endedAt)) / 1000,
        completed: this.recorder.completed - this.completedInWindow
      }
    }
  }
}

// A connection that is accepted and closed before anything could be sent does not count: a server that keeps doing this would
// prevent a run by amount from ever ending.
function wasUsable ({ sentHere, closedAt, freeSince }) {
  return sentHere > 0 || closedAt - freeSince >= LEAST_LIFE_MS
}

module.exports = Phase
