'use strict'

const { isDeadline } = require('../../base/errors')
const faults = require('../../base/faults')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const world = require('../../world')
const Connection = require('../shared/connection')
const { PROTOCOL_ERROR, LARGEST_STREAM_ID, errorName } = require('./constants')
const { WINDOWS } = require('./frames')
const Incoming = require('./incoming')
const Goaway = require('./goaway')
const { Outgoing } = require('./outgoing')
const Responses = require('./responses')
const { StreamTable, NONE, AWAITS_HEAD } = require('./stream-table')
const RefusedStreams = require('./refused-streams')
const Waiting = require('./waiting')

const ALPN = ['h2']
const HTTP1_FIRST_BYTE = 0x48

/**
 * One HTTP/2 connection (RFC 9113). The methods follow its life cycle: opening, sending, receiving, deadlines, GOAWAY, ending.
 * Each request is a stream; streams may end in any order, and most errors end only one of them.
 *
 * Its parts: `waiting` (requests that are not written yet), `streams` (requests in flight), `outgoing` (frames to send, within
 * the server's limits), `incoming` (received frames), `responses` (the response of each stream), `refusedStreams` (requests that
 * the server did not process), and `goaway` (GOAWAY of either side).
 */
class Http2Connection extends Connection {
  constructor (plan, index, target, set, hooks) {
    super(plan, index, target, set)
    this.depth = plan.pipelining
    this.streams = new StreamTable(this.depth, this.windows.stream)
    this.waiting = new Waiting(this.depth)
    this.outgoing = new Outgoing(this)
    this.responses = this.createResponses(plan, hooks)
    this.incoming = new Incoming(this)
    this.refusedStreams = new RefusedStreams(this)
    this.goaway = new Goaway()
    this.now = 0
    this.lastTaken = 0
    /** The last owner that was warned about the server's limit of concurrent streams. */
    this.warnedOf = null
  }

  createResponses (plan) {
    return new Responses(this, plan)
  }

  beginLife () {
    super.beginLife()
    this.nextStreamId = 1
    this.endedHere = 0
    this.endsByRequest = false
  }

  /** The protocols offered in ALPN. */
  get protocols () {
    return ALPN
  }

  get interleaves () {
    return true
  }

  /** How much the server may send before it needs a WINDOW_UPDATE. */
  get windows () {
    return WINDOWS
  }

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

  // --- opening (section 3.4)

  reached (now) {
    if (this.target.secure && this.socket.alpnProtocol !== 'h2') {
      this.failedToOpen(faults.noHttp2Chosen)
      return
    }
    this.incoming.reset()
    this.responses.resets.clear()
    this.goaway.begin()
    this.outgoing.open()
  }

  // Servers that support ALPN but not h2 fail the handshake with an alert of this name.
  failed (code, message, syscall) {
    if (this.isConnecting && String(code).includes('NO_APPLICATION_PROTOCOL')) {
      this.failedToOpen(faults.noHttp2Allowed)
    } else {
      super.failed(code, message, syscall)
    }
  }

  /** The connection is usable once the server's SETTINGS have arrived. */
  receivedOpening (length) {
    this.owner.recorder.bytesRead += length
    if (RECEIVE_BUFFER[0] === HTTP1_FIRST_BYTE && !this.incoming.hasSettings && !this.incoming.reader.midway) {
      this.failedToOpen(faults.http1Response)
      return false
    }
    const now = world.now()
    this.now = now
    this.incoming.execute(RECEIVE_BUFFER, length, now)
    if (!this.isConnecting) return false
    this.outgoing.sendAnswers()
    if (!this.incoming.hasSettings) return true
    this.refusedStreams.payInto(this.waiting)
    this.connected(now)
    if (this.hasPrepared && this.mayBegin) this.flush(world.now())
    return this.afterPacket(now, false)
  }

  // --- sending

  /** How many more requests may be given to `send` now. */
  get room () {
    if (!this.takesRequests) return 0
    const prepared = this.waiting.count
    const { inFlight } = this.streams
    let room = this.outgoing.streamLimit - inFlight - prepared
    if (this.script !== null) room = Math.min(room, this.depth - inFlight - prepared - this.script.settling, this.script.supply - prepared)
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    if (this.train.closes) room = Math.min(room, 1 - this.sentHere - prepared)
    if (reconnectRate !== null) room = Math.min(room, reconnectRate - this.sentHere - prepared)
    if (maxConnectionRequests !== null) room = Math.min(room, maxConnectionRequests - this.sentEver - prepared)
    return room
  }

  /** Accepts a request that came due at `dueAt`; `flush` writes it. May only be called if there is room. */
  send (dueAt) {
    this.waiting.add(dueAt)
  }

  /** When the oldest request came due that `send` has accepted but that is not written; Infinity if there is none. */
  get oldestPrepared () {
    return this.waiting.count === 0 ? Infinity : this.waiting.oldest
  }

  /** Drops that request. @returns {number} when it came due */
  dropPrepared () {
    return this.waiting.take()
  }

  /** Writes the requests that `send` has accepted, in one write, up to the server's limit of concurrent streams. */
  flush (now) {
    if (this.script !== null) {
      this.script.pump()
      return
    }
    const { train, waiting } = this
    while (waiting.count > 0 && this.mayBegin) {
      const request = train.requests[this.nextPlace()]
      const slot = this.book(train.endpoints[request.index], now)
      this.streams.request[slot] = request.index
      this.outgoing.begin(request, slot)
      if (request.closes) this.sentClosing()
    }
    this.outgoing.writeOut()
  }

  nextPlace () {
    return this.refusedStreams.again.length > 0 ? this.refusedStreams.next() : this.order.take()
  }

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
    if (streams.inFlight === outgoing.streamLimit && outgoing.streamLimit < this.depth && this.warnedOf !== this.owner) this.warnOfLimit()
    return slot
  }

  // The server may still refuse the request, so its delay is kept until it ends: only the last attempt counts.
  keepDelay (slot, now) {
    const { streams } = this
    this.owner.recorder.outlook.sent(now)
    streams.freeSince[slot] = this.freeSince
    streams.busyMs[slot] = this.busyMs
    streams.hookMs[slot] = this.hookMs
    streams.closedMs[slot] = this.closedMs
  }

  // Warns once per owner, since a connection may reach its limit with each request.
  warnOfLimit () {
    const { streamLimit } = this.outgoing
    this.warnedOf = this.owner
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
    this.endsByRequest = true
  }

  /** For a script: writes a request that `book` has recorded. */
  write (request, slot) {
    this.outgoing.begin(request, slot)
    this.outgoing.writeOut()
  }

  /** For a script: returns the writer for the body of a request just written. */
  bodyWriter (slot) {
    return this.outgoing.uploads.writer(slot)
  }

  /** For a script: the response arrived before the whole request body was sent. The server no longer wants the rest. */
  answeredEarly (slot) {
    this.script.cancelBody(slot)
  }

  // --- receiving

  received (length) {
    if (!this.isOpen) return this.receivedEarly(length)
    const now = this.arrivalTime()
    this.now = now
    this.owner.recorder.look(now)
    this.owner.recorder.bytesRead += length
    const wasFull = this.owner.isOpenModel && this.room <= 0
    const ended = this.endedHere
    const limit = this.outgoing.streamLimit
    this.incoming.execute(RECEIVE_BUFFER, length, now)
    return this.afterPacket(now, this.endedHere !== ended || this.outgoing.streamLimit > limit, wasFull)
  }

  afterPacket (now, isFreer, wasFull = false) {
    if (!this.isOpen) return false
    // Requests that new SETTINGS allow are sent in the same write as the SETTINGS acknowledgment.
    const corked = isFreer && this.outgoing.owesAnswers ? this.socket : null
    corked?.cork()
    const goesOn = this.goOn(now, isFreer, wasFull)
    corked?.uncork()
    return goesOn
  }

  goOn (now, isFreer, wasFull) {
    this.outgoing.sendAnswers()
    if (!this.isOpen) return false
    if (this.isOver) {
      this.retire()
      return false
    }
    if (!isFreer) return true
    if (wasFull && (this.script === null || this.room > 0)) this.becameFree(now)
    if (this.hasPrepared && this.mayBegin) this.flush(world.now())
    this.owner.ready(this, this.script === null ? now : world.now())
    return true
  }

  // Whether nothing is in flight and no more requests may be sent.
  get isOver () {
    if (this.streams.inFlight > 0) return false
    const { reconnectRate } = this.owner.plan
    return this.isLast || (reconnectRate !== null && this.sentHere >= reconnectRate)
  }

  /** Called by the events of a response that has lasted as long as the plan allows. */
  streamLimitReached (slot) {
    const now = world.now()
    this.now = now
    this.owner.recorder.look(now)
    const wasFull = this.owner.isOpenModel && this.room <= 0
    this.responses.answered(slot)
    this.afterPacket(now, true, wasFull)
  }

  /** The request in a slot has ended, successfully or not. */
  endStream (slot) {
    const { owner: { recorder }, streams } = this
    if (recorder.open) recorder.recordDelay(streams.dueAt[slot], streams.freeSince[slot], streams.sentAt[slot], streams.busyMs[slot], streams.hookMs[slot], streams.closedMs[slot])
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

  // --- deadlines

  /** When the oldest request in flight, or refused, began to wait, ms; Infinity if there is none. */
  oldest (fromDueTime) {
    const { streams, refusedStreams } = this
    if (this.hasTimeouts) return streams.slots.reduce((least, slot) => Math.min(least, this.startOf(slot)), Infinity)
    return Math.min(refusedStreams.oldest, streams.least(fromDueTime ? streams.dueAt : streams.begunAt))
  }

  // When the deadline of the request in a slot began to count.
  startOf (slot) {
    const { owner, script, streams } = this
    if (this.hasTimeouts) return script.startOf(slot, streams.dueAt)
    return (owner.isOpenModel ? streams.dueAt : streams.begunAt)[slot]
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
    else this.owner.ready(this, world.now())
  }

  // --- GOAWAY by the server (section 6.8)

  /** The server accepts no streams beyond `lastId`. */
  goawayCame (lastId, code, text) {
    if (!this.goaway.received(lastId, code, text)) {
      this.breakConnection(PROTOCOL_ERROR, 'a GOAWAY frame has a higher last stream ID than an earlier one')
      return
    }
    this.isLast = true
    this.refusedStreams.takeBeyond(lastId)
    // Requests in flight can still complete; those not yet written are returned.
    this.returnUnwritten()
  }

  /** Returns requests that were not written to the owner, or to `refusedStreams` if they had been sent before. */
  returnUnwritten () {
    const { waiting } = this
    while (waiting.count > 0) {
      const begunAt = waiting.oldestBegunAt
      const dueAt = waiting.take()
      if (begunAt < 0) this.owner.unwritten(this, dueAt)
      else this.refusedStreams.owe(dueAt, begunAt)
    }
  }

  // --- ending

  /** Closes a connection that has no requests in flight and may not send any more. */
  retire () {
    const reason = this.goaway.takeReason()
    if (reason !== null) this.owner.connectionBroken(faults.goaway(reason))
    this.close(this.goaway.isByServer)
  }

  /**
   * Handles a connection error caused by the server (section 5.4.1): sends it the error code and stops reading.
   *
   * @param {number} code
   * @param {string} problem
   * @param {number} [streamId] the stream on which it happened; 0 if it affects the connection only
   */
  breakConnection (code, problem, streamId = 0) {
    this.incoming.stop()
    const fault = faults.badHttp2(`${problem} (${errorName(code)})`)
    this.goaway.code = code
    if (this.isConnecting) this.failedToOpen(fault)
    else this.breakOff(fault, false, streamId)
  }

  /** Closes a connection that has failed for the given reason. */
  breakOff (fault, byServer, streamId = 0) {
    const reason = this.goaway.takeReason()
    if (reason !== null && byServer) fault = faults.goaway(reason, fault.phase)
    if (this.streams.inFlight === 0) this.owner.connectionBroken(fault)
    this.loseAll(fault, undefined, streamId)
    this.close(byServer)
  }

  // The error is attributed to the request of the stream, or else to the oldest one. All others count as lost with the
  // connection.
  loseAll (fault, isLate = isDeadline(fault.code), streamId = 0) {
    const blamed = streamId === 0 ? NONE : this.streams.slotOf(streamId)
    const slots = this.streams.slots.filter((slot) => slot !== blamed)
    if (blamed !== NONE) slots.unshift(blamed)
    for (const slot of slots) {
      this.responses.fail(slot, fault, world.now(), isLate)
      fault = faults.lostWith(fault.phase)
    }
  }

  get isAwaiting () {
    return this.streams.inFlight > 0
  }

  /** See QueuedConnection. */
  eachInFlight (visit) {
    const { responses, streams } = this
    for (const slot of streams.slots) visit(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], responses.progressOf(slot), this.timeoutOf(slot))
  }

  /** The run is over: requests in flight count as unfinished. */
  abandon (now) {
    const { owner: { recorder }, streams } = this
    this.eachInFlight((endpoint, dueAt, sentAt, progress, timeout) => recorder.unfinishedRequest(endpoint, dueAt, sentAt, now, progress, timeout))
    for (const slot of streams.slots) this.endStream(slot)
    this.refusedStreams.forgetAll()
    this.close(false)
  }

  close (byServer) {
    this.incoming.stop()
    this.outgoing.stop()
    super.close(byServer)
  }

  letGo (socket) {
    const { goaway, outgoing } = this
    const endsItself = outgoing.settings !== null && goaway.send(socket, this.owner.recorder)
    outgoing.settings = null
    if (!endsItself) super.letGo(socket)
  }

  /** The slots of the requests in flight, oldest first. */
  get slotsInFlight () {
    return this.streams.slots
  }

  endpointOf (slot) {
    return this.streams.endpoint[slot]
  }

  // --- socket events

  /** Called when the server has sent its FIN. */
  ended () {
    if (this.isConnecting) {
      this.handshake.ended()
      return
    }
    this.now = world.now()
    if (this.streams.inFlight > 0) this.breakOff(this.howItEnded(), true)
    else if (this.goaway.reason !== null) this.retire()
    else if (this.isOpen) this.close(true)
  }

  howItEnded () {
    const { streams, incoming } = this
    const isMidway = incoming.reader.midway || streams.slots.some((slot) => streams.state[slot] !== AWAITS_HEAD)
    return isMidway ? faults.truncated() : faults.closedByServer()
  }
}

module.exports = Http2Connection
