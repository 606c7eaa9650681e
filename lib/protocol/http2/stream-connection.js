'use strict'

const { isDeadline } = require('../../base/errors')
const faults = require('../../base/faults')
const world = require('../../world')
const Connection = require('../shared/connection')
const { LARGEST_STREAM_ID } = require('./constants')
const RefusedStreams = require('./refused-streams')
const { StreamTable, NONE } = require('./stream-table')
const Waiting = require('./waiting')

/**
 * A connection whose requests are streams, which end in any order: `waiting` (requests that are not written yet), `streams` (requests
 * in flight), and `refusedStreams` (requests that the server did not process). How many there may be, and what becomes of each.
 *
 * Subclasses have `outgoing` (the server's limits) and `responses`, and say how a request is written and its response read.
 */
class StreamConnection extends Connection {
  constructor (plan, index, target, set) {
    super(plan, index, target, set)
    this.depth = plan.pipelining
    this.streams = new StreamTable(this.depth, this.windows.stream)
    this.waiting = new Waiting(this.depth)
    this.refusedStreams = new RefusedStreams(this)
    this.lastTaken = 0
    /** Whether it has warned about the server's limit of concurrent streams. */
    this.hasWarned = false
  }

  beginLife () {
    super.beginLife()
    this.nextStreamId = 1
    this.endedHere = 0
    /** Whether it has returned requests to its owner that another connection might send now. */
    this.hasReturned = false
  }

  traceWith (traces) {
    super.traceWith(traces)
    this.streams.keepSerials()
  }

  serialOf (slot) {
    return slot === NONE ? this.refusedStreams.expiredSerial : this.streams.serial[slot]
  }

  // --- which requests it takes

  /** How many requests it has, in flight or not yet written. */
  get busy () {
    return this.streams.inFlight + this.waiting.count + this.refusedStreams.count
  }

  get prepared () {
    return this.waiting.count
  }

  get mayBegin () {
    return this.takesRequests && this.streams.inFlight < this.outgoing.streamLimit
  }

  /** Whether the server accepts no requests on it, although it is open. */
  get isBarred () {
    return this.isOpen && this.outgoing.streamLimit === 0
  }

  /** Whether it must be reopened to retry requests that were refused. */
  get isOwing () {
    return this.refusedStreams.count > 0
  }

  /** How many more requests may be given to `send` now. */
  get room () {
    if (!this.takesRequests) return 0
    const prepared = this.waiting.count
    const { inFlight } = this.streams
    let room = this.outgoing.streamLimit - inFlight - prepared
    if (this.script !== null) room = Math.min(room, this.depth - inFlight - prepared - this.script.settling, this.script.supply - prepared)
    if (this.train.closes) room = Math.min(room, 1 - prepared)
    return this.allowed(room)
  }

  /** Accepts a request that came due at `dueAt`; `flush` writes it. May only be called if there is room. */
  send (dueAt) {
    this.waiting.add(dueAt)
  }

  /** See QueuedConnection. */
  get nextPrepared () {
    return this.waiting.count === 0 ? Infinity : this.waiting.next
  }

  get preparedDues () {
    return this.waiting.dues
  }

  removePrepared (place) {
    return this.waiting.remove(place)
  }

  nextPlace () {
    return this.refusedStreams.again.length > 0 ? this.refusedStreams.next() : this.order.take()
  }

  /** Returns requests that were not written to the owner, or to `refusedStreams` if they had been sent before. */
  returnUnwritten () {
    const { waiting } = this
    while (waiting.count > 0) {
      const begunAt = waiting.oldestBegunAt
      const dueAt = waiting.take()
      if (begunAt < 0) this.owner.unwritten(this, dueAt)
      else this.refusedStreams.retry(dueAt, begunAt)
    }
  }

  /**
   * The server accepts no more requests, perhaps for good. Those that are not written are returned, so that another connection may send
   * them; only this one may send those that were refused.
   */
  returnBarred () {
    this.warnOfBar()
    const retries = this.waiting.takeRetries(Infinity)
    this.hasReturned ||= this.waiting.count > 0
    this.returnUnwritten()
    for (const { dueAt, begunAt } of retries) this.waiting.add(dueAt, begunAt)
  }

  // --- in flight

  /** Records the next request as sent. @returns {number} its slot */
  book (endpoint, now) {
    const { streams, waiting, outgoing } = this
    const begunAt = waiting.oldestBegunAt
    const dueAt = waiting.take()
    const slot = streams.open(this.nextStreamId, outgoing.settings.window)
    this.nextStreamId += 2
    if (this.nextStreamId > LARGEST_STREAM_ID) this.sentClosing()
    streams.dueAt[slot] = dueAt
    streams.sentAt[slot] = now
    streams.begunAt[slot] = begunAt < 0 ? now : begunAt
    streams.endpoint[slot] = endpoint
    this.sentHere++
    this.sentEver++
    const { recorder } = this.owner
    recorder.sent++
    if (recorder.open) this.keepDelay(slot, now)
    if (streams.inFlight === outgoing.streamLimit && outgoing.streamLimit < this.depth && !this.hasWarned) this.warnOfLimit()
    return slot
  }

  // The server may still refuse the request, so its delay is kept until it ends: only the last attempt counts.
  keepDelay (slot, now) {
    const { streams } = this
    this.owner.recorder.forecast.sent(now)
    streams.freeSince[slot] = this.freeSince
    streams.busyMs[slot] = this.busyMs
    streams.hookMs[slot] = this.hookMs
    streams.closedMs[slot] = this.closedMs
  }

  // Warns once, since a connection may reach its limit with each request. A warning in the warm-up is also one of the run.
  warnOfLimit () {
    const { streamLimit } = this.outgoing
    this.hasWarned = true
    this.owner.warn({
      code: 'STREAM_LIMIT',
      message: `The server accepts at most ${streamLimit} ${streamLimit === 1 ? 'request' : 'requests'} at a time on a connection (SETTINGS_MAX_CONCURRENT_STREAMS), so pipelining ${this.depth} had no effect beyond that.`
    })
  }

  /** Warns that the server accepts no requests, at least for now. */
  warnOfBar () {
    this.owner.warn({
      code: 'NO_STREAMS',
      message: 'The server stopped accepting requests on a connection (SETTINGS_MAX_CONCURRENT_STREAMS was 0).'
    })
  }

  /** The connection must close after the response to the request sent last. */
  sentClosing () {
    this.isLast = true
  }

  get isAwaiting () {
    return this.streams.inFlight > 0
  }

  /** The slots of the requests in flight, oldest first. */
  get slotsInFlight () {
    return this.streams.slots
  }

  endpointOf (slot) {
    return this.streams.endpoint[slot]
  }

  /** See Connection. A request that was refused is in no slot. */
  requestIn (slot, endpoint) {
    return slot === NONE ? this.refusedStreams.expired : super.requestIn(slot, endpoint)
  }

  /** See Connection. */
  traceIdOf (slot) {
    return slot === NONE && this.refusedStreams.expiredSerial === undefined ? null : super.traceIdOf(slot)
  }

  /** See QueuedConnection. */
  eachInFlight (visit) {
    const { responses, streams } = this
    for (const slot of streams.slots) visit(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], responses.progressOf(slot), this.timeoutOf(slot), slot)
  }

  /** See Connection. */
  recordRefused (recorder, now) {
    this.refusedStreams.recordUnfinished(recorder, now)
  }

  /** See Connection. */
  recordDelays (recorder) {
    for (const slot of this.streams.slots) this.recordDelay(slot, recorder)
  }

  // Only when it is certain that the request need not be sent again.
  recordDelay (slot, { delays }) {
    const { streams } = this
    delays.record(streams.dueAt[slot], streams.freeSince[slot], streams.sentAt[slot], streams.busyMs[slot], streams.hookMs[slot], streams.closedMs[slot])
  }

  /** The request in a slot has ended, successfully or not. */
  endStream (slot) {
    const { owner: { recorder } } = this
    if (recorder.open) this.recordDelay(slot, recorder)
    this.leaveStream(slot)
  }

  /** The request in a slot is no longer in flight. */
  leaveStream (slot) {
    this.incoming.forget(slot)
    this.responses.stop(slot)
    this.lastTaken = slot
    this.streams.close(slot)
    this.endedHere++
  }

  // Whether nothing is in flight and no more requests may be sent.
  get isOver () {
    return this.streams.inFlight === 0 && (this.isLast || this.isUsedUp)
  }

  // --- deadlines

  /** When the oldest request in flight, or refused, began to wait, ms; Infinity if there is none. */
  oldest (fromDueTime) {
    const { streams, refusedStreams } = this
    if (this.hasTimeouts) return streams.slots.reduce((least, slot) => Math.min(least, this.startOf(slot)), Infinity)
    return Math.min(refusedStreams.oldest, streams.least(fromDueTime ? streams.dueAt : streams.begunAt))
  }

  // Includes refused requests that wait for the connection to reopen.
  waitsSince (fromDueTime) {
    return this.isConnecting ? Math.min(this.handshake.startedAt, this.oldest(fromDueTime)) : this.oldest(fromDueTime)
  }

  /**
   * Expires what has waited the longest. Requests time out and are cancelled, but the connection stays open.
   *
   * @param {number} [lateFrom] whatever began at or before this time expires as well, ms
   */
  expire (lateFrom = -Infinity) {
    const fromDueTime = this.owner.isOpenModel
    const oldest = this.oldest(fromDueTime)
    if (this.isConnecting && this.handshake.startedAt <= oldest) {
      this.expireOpening()
      return
    }
    const start = Math.max(oldest, lateFrom)
    for (const slot of this.streams.slots) {
      if (this.startOf(slot) <= start) this.responses.timeOut(slot)
    }
    this.refusedStreams.expire(start)
    if (!this.isOpen) return
    this.outgoing.sendAnswers()
    if (this.isOver) this.retire()
    else this.sendMore(world.now())
  }

  /** Streams have ended. Requests may wait for that even without room for others: the server may have lowered its limit meanwhile. */
  sendMore (now) {
    if (this.hasPrepared && this.mayBegin) this.flush()
    this.owner.ready(this, now)
  }

  // --- the end of all

  // The error is attributed to the request of the stream, or else to the oldest one. All others count as lost with the
  // connection.
  loseAll (fault, isLate = isDeadline(fault.code), streamId = 0) {
    const blamed = streamId === 0 ? NONE : this.streams.slotOf(streamId)
    const slots = this.streams.slots.filter((slot) => slot !== blamed)
    if (blamed !== NONE) slots.unshift(blamed)
    // The cause is counted for the first that has not timed out.
    for (const slot of slots) {
      if (this.responses.fail(slot, fault, world.now(), isLate)) fault = faults.lostWith(fault.phase)
    }
  }

  /** The run is over: requests in flight count as unfinished. */
  abandon (now) {
    const { owner: { recorder }, streams } = this
    this.eachInFlight((endpoint, dueAt, sentAt, progress, timeout, slot) => recorder.unfinishedRequest(endpoint, dueAt, sentAt, now, progress, timeout, this, slot))
    for (const slot of streams.slots) this.endStream(slot)
    this.refusedStreams.endPhase(now)
    this.close(false)
  }

  endPhase (now) {
    this.refusedStreams.endPhase(now)
  }
}

module.exports = StreamConnection
