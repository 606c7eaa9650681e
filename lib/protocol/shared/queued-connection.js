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

  /** When the request that is written next came due; Infinity if there is none. */
  get nextPrepared () {
    return this.flight.prepared === 0 ? Infinity : this.flight.nextPrepared
  }

  /** When each request came due that `send` has accepted but that is not written, in the order in which they are written. */
  get preparedDues () {
    return this.flight.preparedDues
  }

  /** Drops one of these requests, by its place among them. @returns {number} when it came due */
  removePrepared (place) {
    return this.flight.dropPrepared(place)
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

  /** When the deadline of a request in flight began to count, of the one that passes first, ms; Infinity if there is none. */
  oldest (fromDueTime) {
    const { flight } = this
    if (flight.inFlight === 0) return Infinity
    return fromDueTime ? this.startOf(this.earliestDeadline) : flight.sentAt[flight.head]
  }

  // When the deadline of the request in a slot began to count.
  startOf (slot) {
    const { flight: { dueAt, sentAt }, owner, script } = this
    if (this.hasTimeouts) return script.startOf(slot, dueAt)
    return (owner.isOpenModel ? dueAt : sentAt)[slot]
  }

  /** What has waited the longest has passed its deadline: the attempt to open the connection, or a request in flight. */
  expire () {
    if (this.isConnecting) this.expireOpening()
    else this.expireOldest()
  }

  /**
   * The slot of the request in flight whose deadline is the earliest; there must be one. It isn't always the one that was sent first:
   * requests may have timeouts of their own, and one that waited in a queue, or that another connection returned, came due earlier.
   */
  get earliestDeadline () {
    const { flight } = this
    if (flight.inFlight === 1) return flight.head
    return flight.slotsInFlight.reduce((least, slot) => this.startOf(slot) < this.startOf(least) ? slot : least)
  }

  /** Times out the request in flight whose deadline has passed, and fails the others, which can no longer get a response. */
  timeOut () {
    let { progress } = this
    const late = this.earliestDeadline
    while (this.flight.head !== late) {
      this.loseOldest(world.now(), lostAhead(this.noun), true, progress)
      progress = NO_PROGRESS
    }
    this.wasTooLate(this.flight.take(), progress)
    this.loseRest()
  }

  /** The request in a slot, which is no longer in flight, has timed out. */
  wasTooLate (slot, progress) {
    const { flight } = this
    this.wasLate = true
    this.owner.requestTimedOut(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], this, progress, this.timeoutOf(slot), slot)
  }

  /** Fails the requests behind the one that timed out, since they can no longer get a response. */
  loseRest () {
    this.loseAll(lostBehind(this.noun, 'timed out'), true, NO_PROGRESS)
  }

  /**
   * Fails all requests in flight: the error is attributed to the oldest, and the others count as lost with it. If one has passed
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
