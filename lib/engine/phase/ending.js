'use strict'

const { secondsInWords } = require('../../base/errors')
const world = require('../../world')
const { LongTimer } = require('../../world/long-timer')
const ConnectionWatch = require('./connection-watch')

// How often a broadcast run checks whether it may end, while its last copies are awaited.
const COPIES_EVERY_MS = 10

/**
 * Decides when a phase is over: when all its work is done, when its time is up and what was under way has ended, or when
 * there has been no server for too long.
 */
class Ending {
  /** @param {Phase} phase */
  constructor (phase) {
    this.phase = phase
    this.plan = phase.plan
    this.extent = phase.extent
    this.recorder = phase.recorder
    this.loop = phase.loop
    this.pool = phase.pool
    this.isBroadcast = phase.isBroadcast
    // A closed-model run does not wait for the requests in flight at its end (docs/measurement.md, "The start and the end of a
    // run"); a warm-up needs its connections back.
    this.drains = phase.isOpenModel || this.pool.keepsConnections || this.isBroadcast
    this.isPastSchedule = false
    this.scheduleSpan = null
    this.scheduled = 0
    this.watch = null
    this.drainTimer = null
    this.copyTimer = null
  }

  /** Called when the window has begun. */
  begin () {
    // A warm-up ends at the latest with its duration, and with fewer connections than threads, some threads have none in it.
    if (!this.plan.isWarmup && (this.extent.total !== Infinity || this.extent.endsWithRows)) this.watchForConnections()
  }

  /** Called by the loop when its last request or session has come due; the next one would have been due at `time`. */
  scheduleEnded (time) {
    const { extent, recorder, phase: { window } } = this
    if (extent.isOfTime) return
    this.scheduled = recorder.scheduled
    this.scheduleSpan = extent.spanOf(this.scheduled, (time - window.startedAt) / 1000)
    if (extent.amount !== null) window.endAt(window.startedAt + this.scheduleSpan * 1000)
  }

  /**
   * The length of the schedule once everything has come due, seconds; null if it is not known yet, or if the clock ends it. To be read at the
   * end, because it may take long to compute.
   */
  get scheduleSeconds () {
    if (this.scheduleSpan === null || this.scheduled === 0 || !this.extent.isOfRows) return this.scheduleSpan
    return this.extent.spanOfRows(this.scheduled)
  }

  watchForConnections () {
    const { timeout } = this.plan
    const isUsable = () => this.awaitsHooks || this.awaitsCopies || this.awaitsRamp ||
      (this.recorder.connections > 0 && (!this.isSettled || this.canSend))
    this.watch = new ConnectionWatch(timeout * 1000, isUsable, () => {
      this.phase.warn({ code: 'NO_USABLE_CONNECTION', message: `The run ended early: for ${secondsInWords(timeout)} ${this.whyNone()}.` })
      this.phase.finish()
    })
    // A connection that the ramp has not started yet is not missing.
    this.watch.restart(this.pool.firstDelay)
  }

  /** Whether only connections that the ramp has not started yet have something left to send: those that it has started sent all they may. */
  get awaitsRamp () {
    const { connections, heldBack } = this.pool
    const hasSentAll = (connection) => !this.phase.needs(connection) || !connection.isWorthReopening || connection.isSpent
    return heldBack.size > 0 && this.isSettled && connections.every((connection) => heldBack.has(connection) || hasSentAll(connection))
  }

  /** Whether a connection has something left to send that is open and may send, or that the ramp has not started yet. */
  get canSend () {
    const { connections, heldBack } = this.pool
    return connections.some((connection) =>
      (heldBack.has(connection) || (connection.isOpen && !connection.isBarred)) && this.loop.hasRequestsFor(connection) && !connection.isSpent)
  }

  // Connections may be open and still unusable.
  whyNone () {
    if (this.recorder.connections === 0) return 'there was no usable connection to the server'
    if (this.pool.isBarred) return 'the server accepted no requests on any connection, although it kept them open'
    return 'no connection was open that had requests left to send'
  }

  /** Called when the server has shown that it is there. @param {number} [pause] ms until a connection is tried again */
  sawServer (pause) {
    this.watch?.restart(pause)
  }

  // --- what is under way

  // Requests that are due but not sent: queued for a connection, or still being set up by a hook.
  get waiting () {
    const { scheduled, unsent, sent } = this.recorder
    return scheduled - unsent - sent
  }

  /** Whether a due request has not been sent, or a due session has not begun. */
  get isWaiting () {
    return this.plan.sessions === null ? this.waiting > 0 : this.loop.isWaiting
  }

  get inFlight () {
    return this.recorder.sent - this.recorder.settled
  }

  /** Whether nothing is under way, not even in a hook, and no session will send more. */
  get isSettled () {
    return this.inFlight === 0 && this.phase.pendingHooks === 0 && this.loop.isIdle
  }

  /**
   * Whether `isSettled` holds and no copies of broadcast messages are still expected, from this part of the run or from others.
   */
  get isQuiet () {
    return this.isSettled && !(this.isBroadcast && this.recorder.messages.broadcast.awaitsCopies(world.origin() + world.now()))
  }

  // --- whether it is time to end

  /** Called when something has ended, which may end the phase. */
  check () {
    // The last connections to close call this as well.
    if (this.phase.isFinishing) return
    if (!this.phase.window.isOpen) this.checkDrain()
    else if (this.phase.window.hasBegun) this.checkWindow()
  }

  checkWindow () {
    if (this.plan.sessions !== null) this.checkSessions()
    else if (this.hasUsedRows && this.isSettled) this.finishWithRows()
    else if (this.extent.total !== Infinity) this.checkTotal()
  }

  /**
   * Whether no row can be used any further. Of several URLs that share an amount, one may get its share in the middle of a row when none
   * is left for the others.
   */
  get hasUsedRows () {
    const { pool, loop } = this
    const isDone = (connection) => connection.isSpent || (connection.prepared === 0 && loop.hasGivenAllTo(connection))
    return pool.hasNoRows && pool.connections.every(isDone)
  }

  finishWithRows () {
    this.loop.forget()
    this.finishWithCopies()
  }

  checkDrain () {
    if (this.isQuiet) this.phase.finish()
    // The last of a fixed number of sessions has ended, but copies are still missing.
    else if (this.isBroadcast && this.isSettled && this.drainTimer === null) this.beginDrain()
  }

  /** Whether all requests of an amount have their outcome. */
  get hasReachedTotal () {
    const { settled, unsent, scheduled } = this.recorder
    const { total } = this.extent
    const expected = this.loop.isExhausted ? Math.min(total, scheduled) : total
    return settled + unsent >= expected
  }

  /** Whether it waits only for hooks to settle, which need no connection. */
  get awaitsHooks () {
    const { pendingHooks, window } = this.phase
    if (pendingHooks === 0 || this.inFlight > 0) return false
    return !window.isOpen || (this.extent.total === Infinity ? this.pool.isSpent : this.hasReachedTotal)
  }

  /** Whether it waits only for copies of broadcast messages, as long as they may take: nothing more is sent, whatever is open. */
  get awaitsCopies () {
    return this.isBroadcast && this.isSettled && !this.phase.window.isOpen
  }

  checkTotal () {
    if (this.hasReachedTotal && this.phase.pendingHooks === 0) this.finishWithCopies()
    else if (this.isPastSchedule && this.waiting === 0) this.timeIsUp()
  }

  checkSessions () {
    if (!this.extent.endsWithSessions) return
    if (this.loop.isExhausted && this.isSettled) this.finishWithCopies()
    else if (this.isPastSchedule && !this.isWaiting && !this.loop.isFailing) this.timeIsUp()
  }

  finishWithCopies () {
    if (this.isBroadcast) this.timeIsUp()
    else this.phase.finish()
  }

  /** The schedule is over: the window ends, unless requests of an amount are waiting. @param {boolean} [isByTimer] of the window, see Phase.closeWindow */
  timeIsUp (isByTimer = false) {
    const { phase, extent } = this
    if (!phase.maySend) return
    const now = world.now()
    this.recorder.look(now)
    this.isPastSchedule = true
    // If the thread was blocked while the loop was sending, for example by a hook, the loop has not processed everything due.
    if (phase.isOpenModel) this.loop.notice(now)
    // An amount counts requests that are sent, however long that takes.
    if (extent.amount !== null && this.isWaiting) {
      // What waits may be for a URL for which no row is left.
      if (this.plan.sessions === null && !this.isBroadcast) this.checkWindow()
      return
    }
    // The window cannot end before its last request was sent, whose hook may have blocked the thread too.
    const endedAt = phase.isOpenModel ? world.now() : now
    phase.closeWindow(endedAt, isByTimer)
    // A fixed number of sessions runs to completion, limited only by the deadlines of their requests.
    if (extent.endsWithSessions && !this.isSettled) return
    if (!this.drains || this.isQuiet || this.plan.drain === 0) phase.finish(endedAt)
    else this.beginDrain()
  }

  beginDrain () {
    // The last message may have ended the window, and its connection may already have begun the drain.
    if (this.drainTimer !== null) return
    this.drainTimer = new LongTimer(() => this.phase.finish(), this.plan.drain * 1000)
    // Polls, since nothing signals that other parts of the run have received copies, or that copies are overdue.
    if (this.isBroadcast) this.copyTimer = world.setInterval(() => this.check(), COPIES_EVERY_MS)
  }

  clear () {
    this.watch?.end()
    this.drainTimer?.clear()
    world.clearInterval(this.copyTimer)
  }
}

module.exports = Ending
