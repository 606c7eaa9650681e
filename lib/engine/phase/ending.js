'use strict'

const { secondsInWords } = require('../../base/errors')
const world = require('../../world')
const { LongTimer } = require('../../world/long-timer')
const ConnectionWatch = require('./connection-watch')

// How often the end of a broadcast is looked for, while its last copies are awaited.
const COPIES_EVERY_MS = 10

/**
 * When a phase is over: when all that it was to do is done, when its time is up and what was under way has come to its end, or
 * when there has been no server for too long.
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
    // What a closed-model run has in flight at its end is left alone (docs/measurement.md,
    // "The start and the end of a run"); a warm-up wants its connections back.
    this.drains = phase.isOpenModel || this.pool.keepsConnections || this.isBroadcast
    this.isPastSchedule = false
    /** How long the schedule is of which everything has come due, seconds; null: nobody knows yet, or the clock ends it. */
    this.scheduleSpan = null
    this.watch = null
    this.drainTimer = null
    this.copyTimer = null
  }

  /** The window has begun. */
  begin () {
    if (this.extent.total !== Infinity || this.extent.endsWithRows) this.watchForConnections()
  }

  /** For the loop: its last request or session has come due, the one after would have been due at `time`. */
  scheduleEnded (time) {
    const { extent, recorder, phase: { window } } = this
    if (extent.isOfTime) return
    this.scheduleSpan = extent.spanOf(recorder.scheduled, (time - window.startedAt) / 1000)
    if (extent.amount !== null) window.endAt(window.startedAt + this.scheduleSpan * 1000)
  }

  watchForConnections () {
    const { timeout } = this.plan
    const isUsable = () => this.recorder.connections > 0 && !(this.isSettled && (this.pool.isStranded || !this.canSend))
    this.watch = new ConnectionWatch(timeout * 1000, isUsable, () => {
      this.phase.warn({ code: 'NO_USABLE_CONNECTION', message: `The run ended early: for ${secondsInWords(timeout)} ${this.whyNone()}.` })
      this.phase.finish()
    })
    // Nobody can miss a connection that the ramp has not begun yet.
    this.watch.restart(this.pool.firstDelay)
  }

  /** Whether a connection is open that may send, and has something to send. */
  get canSend () {
    return this.pool.connections.some((connection) => connection.isOpen && !connection.isBarred && this.loop.hasRequestsFor(connection))
  }

  // Connections may be there, and be of no use.
  whyNone () {
    if (this.recorder.connections === 0) return 'there was no usable connection to the server'
    if (this.pool.isBarred) return 'the server accepted no requests on any connection, although it kept them open'
    return 'no connection was open that had requests left to send'
  }

  /** There is a server. @param {number} [pause] ms before a connection is tried again */
  sawServer (pause) {
    this.watch?.restart(pause)
  }

  // --- what is under way

  // Due, and not sent: queued for a connection, or still being set up by a hook.
  get waiting () {
    const { scheduled, unsent, sent } = this.recorder
    return scheduled - unsent - sent
  }

  /** Whether something is due that has not been sent, or a session that has not begun. */
  get isWaiting () {
    return this.plan.sessions === null ? this.waiting > 0 : this.loop.isWaiting
  }

  get inFlight () {
    return this.recorder.sent - this.recorder.settled
  }

  /** Whether nothing is under way, not even in a hook, and nobody is there who would send more. */
  get isSettled () {
    return this.inFlight === 0 && this.phase.pendingHooks === 0 && this.loop.isIdle
  }

  /** The same, and no copy is to come of what was sent to all: of ours, and of what other parts of the run have sent. */
  get isQuiet () {
    return this.isSettled && !(this.isBroadcast && this.recorder.messages.broadcast.awaitsCopies(world.origin() + world.now()))
  }

  // --- whether it is time

  /** Something has come to its end, so that the phase may have. */
  check () {
    // Its last connections tell of their end as well.
    if (this.phase.isFinishing) return
    if (!this.phase.window.isOpen) this.checkDrain()
    else if (this.phase.window.hasBegun) this.checkWindow()
  }

  checkWindow () {
    if (this.plan.sessions !== null) this.checkSessions()
    else if (this.pool.isSpent && this.isSettled) this.finishWithRows()
    else if (this.extent.total !== Infinity) this.checkTotal()
  }

  finishWithRows () {
    this.loop.forget()
    this.finishWithCopies()
  }

  checkDrain () {
    if (this.isQuiet) this.phase.finish()
    // The last of the sessions that were asked for by number has left, and copies are missing.
    else if (this.isBroadcast && this.isSettled && this.drainTimer === null) this.beginDrain()
  }

  checkTotal () {
    const { settled, unsent, scheduled } = this.recorder
    const { total } = this.extent
    const expected = this.loop.isExhausted ? Math.min(total, scheduled) : total
    if (settled + unsent >= expected && this.phase.pendingHooks === 0) this.finishWithCopies()
    else if (this.isPastSchedule && this.waiting === 0) this.timeIsUp()
  }

  checkSessions () {
    if (!this.extent.endsWithSessions) return
    if (this.loop.isExhausted && this.isSettled) this.finishWithCopies()
    else if (this.isPastSchedule && !this.isWaiting) this.timeIsUp()
  }

  finishWithCopies () {
    if (this.isBroadcast) this.timeIsUp()
    else this.phase.finish()
  }

  /** For the window: its end has come. */
  timeIsUp () {
    const { phase, extent } = this
    if (!phase.maySend) return
    const now = world.now()
    this.recorder.look(now)
    this.isPastSchedule = true
    // What held the thread up while the loop was sending, such as a hook, may have kept it from seeing what came due.
    if (phase.isOpenModel) this.loop.notice(now)
    // An amount is of requests that are sent, however long that takes.
    if (extent.amount !== null && this.isWaiting) return
    // Not earlier than the last of them was sent, whose hook may have held the thread up too.
    const endedAt = phase.isOpenModel ? world.now() : now
    phase.closeWindow(endedAt)
    // Sessions that were asked for by number come to their end, each by the deadlines of its requests.
    if (extent.endsWithSessions && !this.isSettled) return
    if (!this.drains || this.isQuiet || this.plan.drain === 0) phase.finish(endedAt)
    else this.beginDrain()
  }

  beginDrain () {
    // The end of the window may have been that of the last message, whose connection has asked already.
    if (this.drainTimer !== null) return
    this.drainTimer = new LongTimer(() => this.phase.finish(), this.plan.drain * 1000)
    // What other parts of the run have heard, and that copies are late, is told by nobody.
    if (this.isBroadcast) this.copyTimer = world.setInterval(() => this.check(), COPIES_EVERY_MS)
  }

  /** Looks no more. */
  clear () {
    this.watch?.end()
    this.drainTimer?.clear()
    world.clearInterval(this.copyTimer)
  }
}

module.exports = Ending
