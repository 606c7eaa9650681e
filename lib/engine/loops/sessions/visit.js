'use strict'

const { closedBeforeAllCalls, sessionFailed } = require('../../../base/faults')
const { seedOfPauses } = require('../../../load/seeds')
const { createThinkTime } = require('../../../load/think-time')
const world = require('../../../world')
const backOffAfter = require('../back-off')

/**
 * One session, from its due time until the user leaves. It runs its steps one after the other on connections of its own.
 *
 *     due ── begin ── step: due, sent, answered ── think ── step ── … ── complete
 *                                   └─ a failure ── fail: what is in flight fails, what is due is unsent
 *
 * It decides which connection sends each request. What the user's hooks see of a session is in `scripts.js`.
 */
class Visit {
  /**
   * @param {SessionLoop} loop the loop that the session belongs to
   * @param {{ number: number, slot: number, dueAt: number, scenario: ?number }} place its number in the whole run, its slot among the
   *   open sessions, when it was due, ms, and the index of its scenario
   * @param {Connection[]} connections all that it may use; none is open yet
   */
  constructor (loop, { number, slot, dueAt, scenario }, connections) {
    this.loop = loop
    this.number = number
    this.slot = slot
    this.dueAt = dueAt
    this.scenario = scenario
    this.connections = connections
    this.sequence = null
    this.callsLeft = 0
    /** Whether setupClient is still running; nothing is sent until it is done. */
    this.isHeld = false
    this.failedAt = 0
    /** The due times of requests that no connection has taken yet, in order. */
    this.due = []
    /** How many requests of the current step have no response yet. */
    this.unanswered = 0
    this.answeredAt = 0
    this.pendingHooks = 0
    this.responses = 0
    this.opened = 0
    this.isThinking = false
    this.thinksUntil = 0
    this.isFailing = false
    /** Whether it failed because a deadline passed. */
    this.isLate = false
    this.isOver = false
    /** After a connection without any response: the next one is not opened before this time, ms. */
    this.closedUntil = 0
    this.pauses = null
  }

  /**
   * @param {VisitSequence} sequence @param {?number} calls how many requests to send, repeating the sequence; null: the sequence
   *   once
   */
  follow (sequence, calls) {
    this.sequence = sequence
    this.callsLeft = calls ?? sequence.steps.length
  }

  /** Sends nothing until the promise of the user's setupClient is resolved. */
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

  /** The name of its scenario; null without scenarios. */
  get scenarioName () {
    return this.scenario === null ? null : this.loop.plan.scenarios[this.scenario].name
  }

  /** What counts it as a session. */
  get sessions () {
    return this.recorder.sessionsOf(this.scenario)
  }

  /** The first step is due at the same time as the session. Its first request is already counted as scheduled. */
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

  /** A think time may have ended unnoticed while the thread was stalled. The requests due after it still count. */
  endPauseBy (now, isInWindow) {
    if (this.isOver || this.isFailing || !this.isThinking || this.thinksUntil > now) return
    this.isThinking = false
    this.stepComesDue(this.thinksUntil, isInWindow)
  }

  /** A step may have been answered, but the next one not begun, if the window or the run ends in the same turn of the event loop. */
  endStepBy (now, isInWindow) {
    const isAnswered = !this.isThinking && this.unanswered + this.pendingHooks === 0 && this.callsLeft > 0
    if (isAnswered && !this.isOver && !this.isFailing) {
      this.isThinking = true
      this.thinksUntil = this.answeredAt + this.nextPause()
      if (this.loop.owner.maySend) this.loop.callAt(this.thinksUntil, this)
    }
    this.endPauseBy(now, isInWindow)
  }

  /** Called by the agenda when a think time, or the back-off of a connection, has ended. */
  onTime (time, now) {
    if (this.isOver || this.isFailing) return
    if (this.isThinking && time >= this.thinksUntil) {
      this.isThinking = false
      this.beginStep(this.thinksUntil, now)
    } else {
      this.proceed(now)
    }
  }

  /** Continues the session after a response, or when a connection has room or has closed. */
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

  // In milliseconds.
  nextPause () {
    const { thinkTime } = this.sequence
    if (thinkTime === null) return 0
    if (thinkTime.from === thinkTime.to && thinkTime.mean === undefined) return thinkTime.from * 1000
    this.pauses ??= new Map()
    let pauses = this.pauses.get(thinkTime)
    if (pauses === undefined) {
      pauses = createThinkTime(thinkTime, seedOfPauses(this.loop.seed + this.sequence.order.next, this.number))
      this.pauses.set(thinkTime, pauses)
    }
    return pauses.next() * 1000
  }

  // --- requests

  /** Gives due requests to connections that have room, the least busy first, and opens more if needed. */
  serve (now) {
    if (this.due.length === 0 || this.isHeld) return
    const given = new Set()
    while (this.due.length > 0) {
      const connection = this.leastBusy()
      if (connection === null) break
      connection.send(this.due.shift())
      given.add(connection)
    }
    for (const connection of given) connection.flush()
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

  /**
   * Called by the script when a response has arrived. @param {boolean} goesOn whether a redirect makes another request due now
   */
  answered (status, goesOn, now) {
    this.responses++
    this.answeredAt = now
    if (this.isFailing) return
    if (goesOn) this.comeDue(now)
    else this.unanswered--
    if (!goesOn && this.loop.failOn.has(status)) this.fail(now)
  }

  /** A request failed or timed out. */
  requestLost (connection, isLate) {
    this.fail(world.now(), isLate)
  }

  /** A connection could not be opened. */
  notOpened (connection, isLate) {
    this.fail(world.now(), isLate)
  }

  /** A connection returns a request that it has not written. @returns {number} its place among those that are due */
  unwritten (dueAt) {
    const found = this.due.findIndex((each) => each >= dueAt)
    const place = found === -1 ? this.due.length : found
    this.due.splice(place, 0, dueAt)
    return place
  }

  /** A connection has closed, and all its requests are accounted for. */
  closed (connection, now) {
    if (this.isOver || this.isFailing) return
    if (!this.loop.reopens && this.callsLeft + this.unanswered > 0) {
      this.loop.owner.connectionBroken(closedBeforeAllCalls)
      this.fail(now)
      return
    }
    if (connection.failuresInRow > 0) {
      this.closedUntil = now + backOffAfter(connection.failuresInRow)
      this.loop.callAt(this.closedUntil, this)
    }
    this.proceed(now)
  }

  /** Fails the session if a due request has waited too long for a connection. */
  dropLate (now, timeout) {
    if (this.isOver || this.isFailing) return
    if (this.oldestDue + timeout > now) return
    // The request waited for a connection to open, so that attempt has run out of time as well.
    for (const connection of this.connections) {
      if (connection.isConnecting) connection.expire()
    }
    this.fail(now, true)
  }

  /** When the oldest unwritten request was due, ms; Infinity if there is none. */
  get oldestDue () {
    let oldest = this.due.length === 0 ? Infinity : this.due[0]
    for (const connection of this.connections) oldest = Math.min(oldest, connection.oldestPrepared)
    return oldest
  }

  // --- the end

  /** Whether there was no response, so that the same user's next session has to wait. */
  get gaveNoResponse () {
    return this.responses === 0
  }

  complete (now) {
    this.isOver = true
    // Not when hooks of the last response were done: that is not the server's time.
    this.sessions.wasCompleted(this.dueAt, this.answeredAt, this.responses, this.opened, this.loop.isInWindow)
    this.leave(now)
  }

  /**
   * Fails the session, because a request failed or timed out, a status ends the session, or there is no connection. The rest is
   * done in the next tick, since the caller may be in the middle of parsing a packet or of closing a connection.
   *
   * @param {number} now
   * @param {boolean} [isLate] whether a deadline passed
   */
  fail (now, isLate = false) {
    if (this.isFailing || this.isOver) return
    this.endPauseBy(now)
    this.isFailing = true
    this.isLate = isLate
    this.failedAt = now
    world.nextTick(() => this.endFailed(world.now()))
  }

  /** Does the rest if it has failed. A phase that ends in the same tick does not wait for that. */
  endFailed (now) {
    if (this.isFailing && !this.isOver) this.conclude(now)
  }

  conclude (now) {
    this.isOver = true
    this.expireLate(now)
    for (const connection of this.connections) {
      connection.returnUnwritten()
      connection.loseAll(sessionFailed, this.isLate)
    }
    for (const dueAt of this.due.splice(0)) this.recorder.unsentOf(this.scenario, dueAt, now, 0, undefined, this.number)
    this.sessions.hasFailed(this.dueAt, this.failedAt, this.responses, this.isLate)
    this.leave(now)
  }

  // Requests whose deadline has passed by now time out, even if the timer has not fired yet.
  expireLate (now) {
    const { timeout } = this.loop
    for (const connection of this.connections) {
      while (connection.isOpen && connection.waitsSince(true) + timeout <= now) {
        this.isLate = true
        connection.expire(now - timeout)
      }
    }
  }

  leave (now, endedAt = now) {
    for (const connection of this.connections) connection.close(false)
    this.loop.left(this, now, endedAt)
  }

  /** The run is over, and its connections have been abandoned. */
  cutOff (now) {
    if (this.isOver) return
    this.endStepBy(now)
    this.isOver = true
    for (const dueAt of this.due.splice(0)) this.recorder.unsentOf(this.scenario, dueAt, now, 0, undefined, this.number)
    this.recordCutOff(this.sessions, now)
  }

  /** Records that the run ends before the session does: it may have failed by then. @param {SessionRecorder} sessions */
  recordCutOff (sessions, now) {
    if (this.isFailing) sessions.hasFailed(this.dueAt, this.failedAt, this.responses, this.isLate)
    else sessions.wasCutOff(this.responses, this.dueAt, now)
  }
}

module.exports = Visit
