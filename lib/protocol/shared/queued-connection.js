'use strict'

const { CODES, isDeadline } = require('../../base/errors')
const world = require('../../world')
const Connection = require('./connection')
const { NO_PROGRESS } = require('./progress')

/**
 * A connection whose requests stand in one queue, `flight` (RequestRing, or what has its interface): those in flight, oldest first,
 * and behind them those given to it and not written yet.
 */
class QueuedConnection extends Connection {
  /**
   * @param {object} plan
   * @param {number} index
   * @param {object} target
   * @param {object} train
   */
  constructor (plan, index, target, train) {
    super(plan, index, target, train)
    this.depth = plan.pipelining
    this.flight = null
  }

  /** What a request is called in messages. */
  get noun () {
    return 'request'
  }

  /** How many requests it has, sent or still to be written. */
  get busy () {
    return this.flight.inFlight + this.flight.prepared
  }

  get isAwaiting () {
    return this.flight.inFlight > 0
  }

  /** How far the response to the oldest in flight has come. Those behind it have none yet. */
  get progress () {
    return NO_PROGRESS
  }

  /** Takes one request that came due at `dueAt`; `flush` writes it. Only when there is room. */
  send (dueAt) {
    this.flight.prepare(dueAt)
  }

  /** How many requests `send` has taken and `flush` has not written. */
  get prepared () {
    return this.flight.prepared
  }

  /** The slots of the requests in flight, oldest first. */
  get slotsInFlight () {
    return this.flight.slotsInFlight
  }

  /** The slot of the request that was answered last. */
  get lastTaken () {
    return this.flight.lastTaken
  }

  /** Of the request in a slot. */
  endpointOf (slot) {
    return this.flight.endpoint[slot]
  }

  /** When the oldest request came due that `send` has taken and nobody has written; Infinity: there is none. */
  get oldestPrepared () {
    return this.flight.prepared === 0 ? Infinity : this.flight.oldestPrepared
  }

  /** Forgets it. @returns {number} when it came due */
  dropPrepared () {
    return this.flight.dropPrepared()
  }

  /** Books the next request as sent. @returns {number} its slot */
  book (endpoint, now) {
    const slot = this.flight.send(endpoint, now)
    this.sentHere++
    this.sentEver++
    const { recorder } = this.owner
    recorder.sent++
    if (recorder.open) recorder.delayedSend(this.flight.dueAt[slot], this.freeSince, now, this.busyMs, this.hookMs, this.closedMs)
    return slot
  }

  /** How long the request in a slot took, by what the run calls latency. */
  millisecondsOf (slot, now) {
    return this.owner.recorder.latencyOf(this.flight.dueAt[slot], this.flight.sentAt[slot], now)
  }

  // --- ending

  /** When the oldest request in flight was sent, or due, ms; Infinity when there is none. */
  oldest (fromDueTime) {
    const { flight } = this
    if (flight.inFlight === 0) return Infinity
    return (fromDueTime ? flight.dueAt : flight.sentAt)[flight.head]
  }

  /** Takes out the oldest in flight, whose deadline has passed. @returns {number} its slot */
  timeOutOldest () {
    const { flight, progress } = this
    this.wasLate = true
    const slot = flight.take()
    this.owner.requestTimedOut(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], this, progress)
    return slot
  }

  /** Those behind the one that has timed out can be answered no more. */
  loseRest () {
    this.loseAll(CODES.LOST_IN_PIPELINE, 'receive', `an earlier ${this.noun} on the same connection timed out`, true, NO_PROGRESS)
  }

  /**
   * What is in flight has failed: the oldest takes the blame, each one behind it is a failure of its own.
   *
   * @param {string} code
   * @param {string} phase
   * @param {string} message
   * @param {boolean} [isLate] since a deadline has passed, so that nobody will know how long they would have taken
   * @param {Progress} [progress] of the oldest
   */
  loseAll (code, phase, message, isLate = isDeadline(code), progress = this.progress) {
    const now = world.now()
    const { flight } = this
    while (flight.inFlight > 0) {
      const slot = flight.take()
      this.owner.requestFailed(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], now, code, phase, message, this, isLate ? progress : null)
      progress = NO_PROGRESS
      code = CODES.LOST_IN_PIPELINE
      message = `an earlier ${this.noun} on the same connection failed`
    }
  }

  /** Calls back for each request in flight: its endpoint, when it came due, when it was sent, how far its response has come. */
  eachInFlight (visit) {
    let { progress } = this
    const { flight } = this
    for (const slot of flight.slotsInFlight) {
      visit(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], progress)
      progress = NO_PROGRESS
    }
  }

  /** The run is over: what is in flight stays unfinished. */
  abandon (now) {
    const { flight, owner: { recorder } } = this
    this.eachInFlight((endpoint, dueAt, sentAt, progress) => recorder.unfinishedRequest(endpoint, dueAt, sentAt, now, progress))
    while (flight.inFlight > 0) flight.take()
    this.close(false)
  }

  /** What was given to `send` and not written goes back to the owner. */
  returnUnwritten () {
    const { flight } = this
    while (flight.prepared > 0) this.owner.unwritten(this, flight.unprepare())
  }
}

module.exports = QueuedConnection
