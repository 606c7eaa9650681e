'use strict'

const { CODES, isDeadline } = require('../../base/errors')
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
 * One HTTP/2 connection (RFC 9113) and its life, from top to bottom: open, reached, usable, sent, received, late, left,
 * ended, closed. A stream is a request; streams end in any order, and most of what goes wrong ends only one.
 *
 * What it is made of: `waiting` (requests that are not written yet), `streams` (those in flight), `outgoing` (frames that go
 * out, and how much the server takes), `incoming` (frames that come), `responses` (what comes of each), `refusedStreams` (what the
 * server has not taken), and `goaway` (what is said of its end).
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
    /** The owner that has heard of the server's limit of streams. */
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

  /** What is offered by ALPN. */
  get protocols () {
    return ALPN
  }

  get interleaves () {
    return true
  }

  /** What the server may send before it needs a WINDOW_UPDATE. */
  get windows () {
    return WINDOWS
  }

  /** How many requests it has, sent or still to be written. */
  get busy () {
    return this.streams.inFlight + this.waiting.count + this.refusedStreams.count
  }

  get prepared () {
    return this.waiting.count
  }

  get mayBegin () {
    return this.takesRequests && this.streams.inFlight < this.outgoing.streamLimit
  }

  /** Whether the server takes no requests on it, though it is open. */
  get isBarred () {
    return this.isOpen && this.outgoing.streamLimit === 0
  }

  /** Whether it has to be opened again for its own sake. */
  get isOwing () {
    return this.refusedStreams.count > 0
  }

  // --- opening (section 3.4)

  reached (now) {
    if (this.target.secure && this.socket.alpnProtocol !== 'h2') {
      this.failedToOpen(CODES.NO_HTTP2, 'tls', 'the server does not speak HTTP/2: it did not choose h2 (ALPN)')
      return
    }
    this.incoming.reset()
    this.responses.resets.clear()
    this.goaway.begin()
    this.outgoing.open()
  }

  // Servers that know ALPN but not h2 end the handshake with an alert of this name.
  failed (code, message, syscall) {
    if (this.isConnecting && String(code).includes('NO_APPLICATION_PROTOCOL')) {
      this.failedToOpen(CODES.NO_HTTP2, 'tls', 'the server does not speak HTTP/2: it refused h2 (ALPN)')
    } else {
      super.failed(code, message, syscall)
    }
  }

  /** It can be used when the server's SETTINGS are there. */
  receivedOpening (length) {
    this.owner.recorder.bytesRead += length
    if (RECEIVE_BUFFER[0] === HTTP1_FIRST_BYTE && !this.incoming.hasSettings && !this.incoming.reader.midway) {
      this.failedToOpen(CODES.BAD_RESPONSE, 'parse', 'the server responded in HTTP/1.1, not in HTTP/2')
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

  /** Takes one request that came due at `dueAt`; `flush` writes it. Only when there is room. */
  send (dueAt) {
    this.waiting.add(dueAt)
  }

  /** When the oldest request came due that `send` has taken and nobody has written; Infinity: there is none. */
  get oldestPrepared () {
    return this.waiting.count === 0 ? Infinity : this.waiting.oldest
  }

  /** Forgets it. @returns {number} when it came due */
  dropPrepared () {
    return this.waiting.take()
  }

  /** Writes what `send` has taken, in one piece, as far as the server's limit of streams goes. */
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

  /** Books the next request as sent. @returns {number} its slot */
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

  // The server may yet say that it has not taken the request: only its last sending counts.
  keepDelay (slot, now) {
    const { streams } = this
    this.owner.recorder.outlook.sent(now)
    streams.freeSince[slot] = this.freeSince
    streams.busyMs[slot] = this.busyMs
    streams.hookMs[slot] = this.hookMs
    streams.closedMs[slot] = this.closedMs
  }

  // Once is enough for whose requests they are: a connection may be at its limit with each of them.
  warnOfLimit () {
    const { streamLimit } = this.outgoing
    this.warnedOf = this.owner
    this.owner.warn({
      code: 'STREAM_LIMIT',
      message: `The server accepts at most ${streamLimit} ${streamLimit === 1 ? 'request' : 'requests'} at a time on a connection (SETTINGS_MAX_CONCURRENT_STREAMS), so pipelining ${this.depth} had no effect beyond that.`
    })
  }

  /** The server takes no requests, for now at least. */
  warnOfBar () {
    this.owner.warn({
      code: 'NO_STREAMS',
      message: 'The server stopped accepting requests on a connection (SETTINGS_MAX_CONCURRENT_STREAMS was 0).'
    })
  }

  /** The connection ends with the response to the request that was sent last. */
  sentClosing () {
    this.isLast = true
    this.endsByRequest = true
  }

  /** For a script: writes a request that was booked. */
  write (request, slot) {
    this.outgoing.begin(request, slot)
    this.outgoing.writeOut()
  }

  /** For a script: what takes the body of a request just written. */
  bodyWriter (slot) {
    return this.outgoing.uploads.writer(slot)
  }

  /** For a script: answered before all of its body was sent. No server wants the rest any more. */
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
    // What SETTINGS allow goes out in one write with the frame that acknowledges them.
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

  // Nothing is in flight, and nothing more may be.
  get isOver () {
    if (this.streams.inFlight > 0) return false
    const { reconnectRate } = this.owner.plan
    return this.isLast || (reconnectRate !== null && this.sentHere >= reconnectRate)
  }

  /** For the events of responses: one has lasted for as long as the plan gives it. */
  streamLimitReached (slot) {
    const now = world.now()
    this.now = now
    this.owner.recorder.look(now)
    const wasFull = this.owner.isOpenModel && this.room <= 0
    this.responses.answered(slot)
    this.afterPacket(now, true, wasFull)
  }

  /** The request in a slot has ended, whichever way. */
  endStream (slot) {
    const { owner: { recorder }, streams } = this
    if (recorder.open) recorder.recordDelay(streams.dueAt[slot], streams.freeSince[slot], streams.sentAt[slot], streams.busyMs[slot], streams.hookMs[slot], streams.closedMs[slot])
    this.leaveStream(slot)
  }

  /** It is no more in flight. */
  leaveStream (slot) {
    this.incoming.forget(slot)
    this.responses.stop(slot)
    this.lastTaken = slot
    this.streams.close(slot)
    this.endedHere++
  }

  // --- deadlines

  /** When the oldest request in flight began to wait, ms; Infinity when there is none. */
  oldest (fromDueTime) {
    const { streams, refusedStreams } = this
    return Math.min(refusedStreams.oldest, streams.least(fromDueTime ? streams.dueAt : streams.begunAt))
  }

  // What it waits for while it is closed, too.
  waitsSince (fromDueTime) {
    return this.isConnecting ? Math.min(this.handshake.startedAt, this.oldest(fromDueTime)) : this.oldest(fromDueTime)
  }

  /**
   * What has waited the longest is late: requests are timed out and cancelled, the connection lives on.
   *
   * @param {number} [lateFrom] whatever began no later than this is late as well, ms
   */
  expire (lateFrom = -Infinity) {
    const fromDueTime = this.owner.isOpenModel
    const oldest = this.oldest(fromDueTime)
    if (this.isConnecting && this.handshake.startedAt <= oldest) {
      this.expireOpening()
      return
    }
    const start = Math.max(oldest, lateFrom)
    const { streams } = this
    const starts = fromDueTime ? streams.dueAt : streams.begunAt
    for (const slot of streams.slots) {
      if (starts[slot] <= start) this.responses.timeOut(slot)
    }
    this.refusedStreams.expire(start)
    if (!this.isOpen) return
    this.outgoing.sendAnswers()
    if (this.isOver) this.retire()
    else this.owner.ready(this, world.now())
  }

  // --- the server leaves: GOAWAY (section 6.8)

  /** The server takes no more streams than those up to `lastId`. */
  goawayCame (lastId, code, text) {
    if (!this.goaway.received(lastId, code, text)) {
      this.breakConnection(PROTOCOL_ERROR, 'a GOAWAY frame has a higher last stream ID than an earlier one')
      return
    }
    this.isLast = true
    this.refusedStreams.takeBeyond(lastId)
    // What is in flight comes to an end; what is not yet written goes elsewhere.
    this.returnUnwritten()
  }

  /** What was given to `send` and not written goes back to the owner. */
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

  /** Ends a connection that owes nothing and may take nothing more. */
  retire () {
    const reason = this.goaway.takeReason()
    if (reason !== null) this.owner.connectionBroken(CODES.GOAWAY, 'receive', reason)
    this.close(this.goaway.isByServer)
  }

  /**
   * A connection error of the server's (section 5.4.1): it is told the code, and nothing more is read.
   *
   * @param {number} code
   * @param {string} problem
   * @param {number} [streamId] the stream on which it happened; 0: none
   */
  breakConnection (code, problem, streamId = 0) {
    this.incoming.stop()
    const message = `the server's response is not valid HTTP/2: ${problem} (${errorName(code)})`
    this.goaway.code = code
    if (this.isConnecting) this.failedToOpen(CODES.BAD_RESPONSE, 'parse', message)
    else this.breakOff(CODES.BAD_RESPONSE, 'parse', message, false, streamId)
  }

  /** The connection is of no use any more, for the reason given. */
  breakOff (code, phase, message, byServer, streamId = 0) {
    const reason = this.goaway.takeReason()
    if (reason !== null && byServer) {
      code = CODES.GOAWAY
      message = reason
    }
    if (this.streams.inFlight === 0) this.owner.connectionBroken(code, phase, message)
    this.loseAll(code, phase, message, undefined, streamId)
    this.close(byServer)
  }

  // The request of the stream takes the blame, or the oldest; each other one is a failure of its own.
  loseAll (code, phase, message, isLate = isDeadline(code), streamId = 0) {
    const blamed = streamId === 0 ? NONE : this.streams.slotOf(streamId)
    const slots = this.streams.slots.filter((slot) => slot !== blamed)
    if (blamed !== NONE) slots.unshift(blamed)
    for (const slot of slots) {
      this.responses.fail(slot, code, phase, message, world.now(), isLate)
      code = CODES.LOST_IN_PIPELINE
      message = 'the connection failed, which is counted for another of its requests'
    }
  }

  get isAwaiting () {
    return this.streams.inFlight > 0
  }

  /** Calls back for each request in flight: its endpoint, when it came due, when it was sent, how far its response has come. */
  eachInFlight (visit) {
    const { responses, streams } = this
    for (const slot of streams.slots) visit(streams.endpoint[slot], streams.dueAt[slot], streams.sentAt[slot], responses.progressOf(slot))
  }

  /** The run is over: what is in flight stays unfinished. */
  abandon (now) {
    const { owner: { recorder }, streams } = this
    this.eachInFlight((endpoint, dueAt, sentAt, progress) => recorder.unfinishedRequest(endpoint, dueAt, sentAt, now, progress))
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

  /** Of the request in a slot. */
  endpointOf (slot) {
    return this.streams.endpoint[slot]
  }

  // --- what the socket tells

  /** The server has sent its FIN. */
  ended () {
    if (this.isConnecting) {
      this.handshake.ended()
      return
    }
    this.now = world.now()
    if (this.streams.inFlight > 0) this.breakOff(...this.howItEnded(), true)
    else if (this.goaway.reason !== null) this.retire()
    else if (this.isOpen) this.close(true)
  }

  howItEnded () {
    const { streams, incoming } = this
    const isMidway = incoming.reader.midway || streams.slots.some((slot) => streams.state[slot] !== AWAITS_HEAD)
    if (isMidway) return [CODES.TRUNCATED_RESPONSE, 'receive', 'the server closed the connection in the middle of a response']
    return [CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered']
  }
}

module.exports = Http2Connection
