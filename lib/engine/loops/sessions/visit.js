'use strict'

const { CODES } = require('../../../base/errors')
const { createThinkTime } = require('../../../load/think-time')
const world = require('../../../world')
const backOffAfter = require('../back-off')

// Two streams of random numbers of one seed must not be the same: that of the arrivals, and that of each user's pauses.
const SEEDS_APART = 2 ** 33

/**
 * One session from its due time until the user leaves: the steps one after the other on connections of its own.
 *
 *     due ── begin ── step: due, sent, answered ── think ── step ── … ── complete
 *                                   └─ a failure ── fail: what is in flight fails, what is due is unsent
 *
 * It decides which of its connections a request goes to. What the user's hooks see of it is in `scripts.js`.
 */
class Visit {
  /**
   * @param {SessionLoop} loop whose session it is
   * @param {{ number: number, slot: number, dueAt: number }} place its number in the whole run, its place among those that
   *   are open, and when it was due, ms
   * @param {Connection[]} connections all that it may have, closed
   */
  constructor (loop, { number, slot, dueAt }, connections) {
    this.loop = loop
    this.number = number
    this.slot = slot
    this.dueAt = dueAt
    this.connections = connections
    this.sequence = null
    this.callsLeft = 0
    /** Until setupClient has done its work nothing is sent. */
    this.isHeld = false
    this.failedAt = 0
    /** Due and not given to a connection: when each was due. */
    this.due = []
    /** Of the step that is on: how many requests have no answer yet. */
    this.unanswered = 0
    this.answeredAt = 0
    this.pendingHooks = 0
    this.responses = 0
    this.opened = 0
    this.isThinking = false
    this.thinksUntil = 0
    this.isFailing = false
    /** Whether it fails since a deadline passed. */
    this.isLate = false
    this.isOver = false
    /** Where a connection gave no response, the next one is not opened before this time, ms. */
    this.closedUntil = 0
    this.pauses = null
  }

  /** @param {VisitSequence} sequence @param {?number} calls how many requests, going round; null: the sequence once */
  follow (sequence, calls) {
    this.sequence = sequence
    this.callsLeft = calls ?? sequence.steps.length
  }

  /** Nothing is sent before the user's setupClient has done its work. */
  waitFor (promise) {
    const { owner } = this.loop
    this.isHeld = true
    promise.then(() => {
      this.isHeld = false
      this.proceed(world.now())
    }, (error) => owner.hookFailed('setupClient', error))
  }

  get recorder () {
    return this.loop.owner.recorder
  }

  /** The first step is due with the session itself. Its first request was counted when the session came due. */
  begin (now) {
    this.recorder.scheduled--
    this.beginStep(this.dueAt, now)
  }

  // --- steps

  beginStep (dueAt, now) {
    this.stepComesDue(dueAt)
    this.serve(now)
  }

  stepComesDue (dueAt, isInWindow = this.loop.isInWindow) {
    const count = Math.min(this.sequence.leftInBurst, this.callsLeft)
    this.callsLeft -= count
    this.unanswered = count
    for (let index = 0; index < count; index++) this.comeDue(dueAt, isInWindow)
  }

  comeDue (dueAt, isInWindow = this.loop.isInWindow) {
    this.due.push(dueAt)
    this.recorder.scheduled++
    if (!isInWindow) this.recorder.scheduledInDrain++
  }

  /** A pause may have ended while the thread stood still: what was due behind it counts, though nobody has looked since. */
  endPauseBy (now, isInWindow) {
    if (this.isOver || this.isFailing || !this.isThinking || this.thinksUntil > now) return
    this.isThinking = false
    this.stepComesDue(this.thinksUntil, isInWindow)
  }

  /** For the agenda: the pause before a step is over, or that before a connection is tried again. */
  onTime (time, now) {
    if (this.isOver || this.isFailing) return
    if (this.isThinking && time >= this.thinksUntil) {
      this.isThinking = false
      this.beginStep(this.thinksUntil, now)
    } else {
      this.proceed(now)
    }
  }

  /** Goes on, wherever it stands: something has been answered, or a connection has room, or has ended. */
  proceed (now) {
    if (this.isOver || this.isFailing || this.isThinking || !this.loop.owner.maySend) return
    if (this.unanswered > 0) this.serve(now)
    else if (this.pendingHooks === 0) this.endStep(now)
  }

  endStep (now) {
    if (this.callsLeft === 0) {
      this.complete(now)
      return
    }
    const pause = this.nextPause()
    const dueAt = this.answeredAt + pause
    if (dueAt <= now) {
      this.beginStep(dueAt, now)
      return
    }
    this.isThinking = true
    this.thinksUntil = dueAt
    this.loop.callAt(dueAt, this)
  }

  // Milliseconds.
  nextPause () {
    const { thinkTime } = this.sequence
    if (thinkTime === null) return 0
    if (thinkTime.from === thinkTime.to && thinkTime.mean === undefined) return thinkTime.from * 1000
    this.pauses ??= new Map()
    let pauses = this.pauses.get(thinkTime)
    if (pauses === undefined) {
      pauses = createThinkTime(thinkTime, this.loop.seed + (this.number + 1) * SEEDS_APART + this.sequence.order.next)
      this.pauses.set(thinkTime, pauses)
    }
    return pauses.next() * 1000
  }

  // --- requests

  /** Gives what is due to connections that have room, the least busy first, and opens more where it needs them. */
  serve (now) {
    if (this.due.length === 0 || this.isHeld) return
    const given = new Set()
    while (this.due.length > 0) {
      const connection = this.leastBusy()
      if (connection === null) break
      connection.send(this.due.shift())
      given.add(connection)
    }
    for (const connection of given) connection.flush(world.now())
    this.openFor(this.due.length, now)
  }

  leastBusy () {
    let best = null
    for (const connection of this.connections) {
      if (connection.room > 0 && (best === null || connection.busy < best.busy)) best = connection
    }
    return best
  }

  openFor (waiting, now) {
    if (waiting === 0 || this.isOver || this.isFailing || this.closedUntil > now || !this.loop.owner.maySend) return
    let wanted = waiting - this.connections.filter(({ isConnecting }) => isConnecting).length
    for (const connection of this.connections) {
      if (wanted <= 0 || this.isFailing) return
      if (connection.isInUse) continue
      wanted--
      this.opened++
      this.loop.owner.pool.begin(connection)
    }
  }

  /** For the script: a response has come. @param {boolean} goesOn whether it redirects to another request, which is due now */
  answered (status, goesOn, now) {
    this.responses++
    this.answeredAt = now
    if (this.isFailing) return
    if (goesOn) this.comeDue(now)
    else this.unanswered--
    if (!goesOn && this.loop.failOn.has(status)) this.fail(now)
  }

  /** A connection gives a request back that it has not written. */
  unwritten (dueAt) {
    this.due.unshift(dueAt)
  }

  /** A connection has ended, with all its requests accounted for. */
  closed (connection, now) {
    if (this.isOver || this.isFailing) return
    if (!this.loop.reopens && this.callsLeft + this.unanswered > 0) {
      this.loop.owner.connectionBroken(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before all calls were made')
      this.fail(now)
      return
    }
    if (connection.failuresInRow > 0) {
      this.closedUntil = now + backOffAfter(connection.failuresInRow)
      this.loop.callAt(this.closedUntil, this)
    }
    this.proceed(now)
  }

  /** What is due and has waited too long for a connection is never sent, and the session has failed. */
  dropLate (now, timeout) {
    if (this.isOver || this.isFailing) return
    if (this.oldestDue + timeout > now) return
    // It waited for a connection, which then has had its time as well.
    for (const connection of this.connections) {
      if (connection.isConnecting) connection.expire()
    }
    this.fail(now, true)
  }

  /** When the oldest request was due that nobody has written; Infinity when there is none. */
  get oldestDue () {
    let oldest = this.due.length === 0 ? Infinity : this.due[0]
    for (const connection of this.connections) oldest = Math.min(oldest, connection.oldestPrepared)
    return oldest
  }

  // --- the end

  complete (now) {
    this.isOver = true
    this.recorder.sessions.wasCompleted(this.dueAt, now, this.responses, this.opened, this.loop.isInWindow)
    this.leave(now)
  }

  /**
   * A request has failed, its time is up, it had a status that ends the session, or there is no connection. The rest is
   * done in the next tick: the caller may stand in the middle of a packet, or of a connection's own end.
   *
   * @param {number} now
   * @param {boolean} [isLate] since a deadline passed
   */
  fail (now, isLate = false) {
    if (this.isFailing || this.isOver) return
    this.endPauseBy(now)
    this.isFailing = true
    this.isLate = isLate
    this.failedAt = now
    world.nextTick(() => this.conclude())
  }

  conclude () {
    if (this.isOver) return
    this.isOver = true
    const now = world.now()
    for (const connection of this.connections) {
      connection.returnUnwritten()
      connection.loseAll(CODES.SESSION_FAILED, 'receive', 'another request of the same session failed', this.isLate)
    }
    for (const dueAt of this.due.splice(0)) this.recorder.unsentRequest(dueAt, now)
    this.recorder.sessions.hasFailed(this.dueAt, this.failedAt, this.responses, this.isLate)
    this.leave(now)
  }

  leave (now) {
    for (const connection of this.connections) connection.close(false)
    this.loop.left(this, now)
  }

  /** The run is over; its connections have been abandoned. */
  cutOff (now) {
    if (this.isOver) return
    this.endPauseBy(now)
    this.isOver = true
    for (const dueAt of this.due.splice(0)) this.recorder.unsentRequest(dueAt, now)
    if (this.isFailing) this.recorder.sessions.hasFailed(this.dueAt, this.failedAt, this.responses, this.isLate)
    else this.recorder.sessions.wasCutOff(this.responses, this.dueAt, now)
  }
}

module.exports = Visit
