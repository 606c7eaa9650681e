'use strict'

const { isDeadline } = require('../../base/errors')
const { lostAhead, lostBehind } = require('../../base/faults')
const world = require('../../world')
const Connection = require('./connection')
const { NO_PROGRESS } = require('./progress')

/**
 * A connection whose requests are in one queue, `flight` (RequestRing or the same interface): first those in flight, oldest
 * first, then those that are not written yet.
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

  /** What error messages call a request. */
  get noun () {
    return 'request'
  }

  /** How many requests it has, in flight or not yet written. */
  get busy () {
    return this.flight.inFlight + this.flight.prepared
  }

  get isAwaiting () {
    return this.flight.inFlight > 0
  }

  /** The progress of the oldest request in flight. The others have no response yet. */
  get progress () {
    return NO_PROGRESS
  }

  /** Accepts a request that came due at `dueAt`; `flush` writes it. May only be called if there is room. */
  send (dueAt) {
    this.flight.prepare(dueAt)
  }

  /** How many requests `send` has accepted that are not written. */
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

  /** The slot of the request that was sent `index` places after the one in a slot. */
  slotAfter (slot, index) {
    return this.flight.slotAfter(slot, index)
  }

  endpointOf (slot) {
    return this.flight.endpoint[slot]
  }

  /** When the oldest request came due that `send` has accepted but that is not written; Infinity if there is none. */
  get oldestPrepared () {
    return this.flight.prepared === 0 ? Infinity : this.flight.oldestPrepared
  }

  /** When each request came due that `send` has accepted but that is not written. */
  get preparedDues () {
    return this.flight.preparedDues
  }

  /** Drops the oldest of them. @returns {number} when it came due */
  dropPrepared () {
    return this.flight.dropPrepared()
  }

  /** Records the next request as sent. @returns {number} its slot */
  book (endpoint, now) {
    const slot = this.flight.send(endpoint, now)
    this.sentHere++
    this.sentEver++
    const { recorder } = this.owner
    recorder.sent++
    if (recorder.open) recorder.delayedSend(this.flight.dueAt[slot], this.freeSince, now, this.busyMs, this.hookMs, this.closedMs)
    return slot
  }

  /** The latency of the request in a slot, as the run defines it. */
  millisecondsOf (slot, now) {
    return this.owner.recorder.latencyOf(this.flight.dueAt[slot], this.flight.sentAt[slot], now)
  }

  // --- ending

  /** When the oldest request in flight was sent, or due, ms; Infinity if there is none. */
  oldest (fromDueTime) {
    const { flight } = this
    if (flight.inFlight === 0) return Infinity
    if (this.hasTimeouts) return this.script.startOf(this.earliestDeadline, flight.dueAt)
    return (fromDueTime ? flight.dueAt : flight.sentAt)[flight.head]
  }

  /** What has waited the longest has passed its deadline: the attempt to open the connection, or the oldest request in flight. */
  expire () {
    if (this.isConnecting) this.expireOpening()
    else this.expireOldest()
  }

  /** The slot of the request in flight whose deadline is the earliest, if requests have timeouts of their own. */
  get earliestDeadline () {
    const { script, flight: { slotsInFlight, dueAt } } = this
    return slotsInFlight.reduce((least, slot) => script.startOf(slot, dueAt) < script.startOf(least, dueAt) ? slot : least)
  }

  /** Times out the request in flight whose deadline has passed, and fails the others, which can no longer get a response. */
  timeOut () {
    let { progress } = this
    const late = this.hasTimeouts ? this.earliestDeadline : this.flight.head
    while (this.flight.head !== late) {
      this.loseOldest(world.now(), lostAhead(this.noun), true, progress)
      progress = NO_PROGRESS
    }
    this.timeOutOldest(progress)
    this.loseRest()
  }

  /** Times out the oldest request in flight. @returns {number} its slot */
  timeOutOldest (progress = this.progress) {
    const { flight } = this
    this.wasLate = true
    const slot = flight.take()
    this.owner.requestTimedOut(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], this, progress, this.timeoutOf(slot), slot)
    return slot
  }

  /** Fails the requests behind the one that timed out, since they can no longer get a response. */
  loseRest () {
    this.loseAll(lostBehind(this.noun, 'timed out'), true, NO_PROGRESS)
  }

  /**
   * Fails all requests in flight: the error is attributed to the oldest, and the others count as lost with it. If the oldest has passed
   * its deadline, which the timer has not noticed yet, it has timed out.
   *
   * @param {object} fault see base/faults.js
   * @param {boolean} [isLate] whether a deadline passed, so that their latency will never be known
   * @param {Progress} [progress] the progress of the oldest
   */
  loseAll (fault, isLate = isDeadline(fault.code), progress = this.progress) {
    const now = world.now()
    if (!isLate && this.hasPassedDeadline(now)) {
      this.timeOut()
      return
    }
    while (this.flight.inFlight > 0) {
      this.loseOldest(now, fault, isLate, progress)
      progress = NO_PROGRESS
      fault = lostBehind(this.noun, 'failed', fault.phase)
    }
  }

  loseOldest (now, fault, isLate, progress) {
    const { flight } = this
    const slot = flight.take()
    this.owner.requestFailed(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], now, fault, this, isLate ? progress : null, slot, progress)
  }

  /**
   * Calls `visit` for each request in flight, with its endpoint, when it came due, when it was sent, its progress, its timeout if
   * it has one of its own (otherwise undefined), and its slot.
   */
  eachInFlight (visit) {
    let { progress } = this
    const { flight } = this
    for (const slot of flight.slotsInFlight) {
      visit(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], progress, this.timeoutOf(slot), slot)
      progress = NO_PROGRESS
    }
  }

  /** The run is over: requests in flight count as unfinished. */
  abandon (now) {
    const { flight, owner: { recorder } } = this
    this.eachInFlight((endpoint, dueAt, sentAt, progress, timeout, slot) => recorder.unfinishedRequest(endpoint, dueAt, sentAt, now, progress, timeout, this, slot))
    while (flight.inFlight > 0) flight.take()
    this.close(false)
  }

  /** Returns requests that were not written to the owner. */
  returnUnwritten () {
    const { flight } = this
    while (flight.prepared > 0) this.owner.unwritten(this, flight.unprepare())
  }
}

module.exports = QueuedConnection
