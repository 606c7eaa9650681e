'use strict'

const faults = require('../../base/faults')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const { leave } = require('../../transport/socket-events')
const { Progress, NO_PROGRESS } = require('../shared/progress')
const QueuedConnection = require('../shared/queued-connection')
const world = require('../../world')
const TraceIds = require('../../world/trace-ids')
const ResponseParser = require('./parser')
const RequestRing = require('../shared/request-ring')

const ALPN = ['http/1.1']

/** One HTTP/1.1 connection. The methods follow its life cycle: open, sent, received, completed, ended, closed. */
class Http1Connection extends QueuedConnection {
  constructor (plan, index, target, train) {
    super(plan, index, target, train)
    this.parser = new ResponseParser(this)
    this.flight = new RequestRing(this.depth)
    this.now = 0
    /** Reads the events of event-stream responses; null without them. */
    this.events = plan.stream === null ? null : new (require('../stream/event-stream').EventStream)(this, plan.stream)
    this.hooksWantBody = false
    /**
     * Whether a response can be skipped as a whole, since nobody reads its body and no number of responses closes the connection.
     */
    this.mayTakeWhole = plan.stream === null && plan.reconnectRate === null && !train.hasHead
  }

  beginLife () {
    super.beginLife()
    /** Whether a request asked for the connection to close; we close it after all responses have arrived. */
    this.endsByRequest = false
    /** Whether a response announced the close of the connection; no more responses will follow. */
    this.endsByResponse = false
    /** Whether nothing else holds a reference to its socket. */
    this.mayBeReused = true
    /** Whether the next byte begins a response. */
    this.isBetween = true
  }

  /** The protocols offered in ALPN. */
  get protocols () {
    return ALPN
  }

  open () {
    this.parser.reset()
    super.open()
  }

  // --- sending

  /** How many more requests may be given to `send` now. */
  get room () {
    if (!this.takesRequests) return 0
    const { prepared } = this.flight
    let room = this.depth - this.busy - (this.script === null ? 0 : this.script.settling)
    if (this.script !== null) room = Math.min(room, this.script.supply - prepared)
    if (this.train.closes) room = Math.min(room, this.untilClosing - prepared)
    return this.allowed(room)
  }

  // A request that asks to close the connection must be the last: any request behind it would wait until the connection is
  // reopened.
  get untilClosing () {
    return this.script === null ? this.order.untilClosing(this.train.requests, this.depth) : this.script.untilClosing
  }

  /**
   * Writes all requests that `send` has accepted, in one write. Reads the clock: the last of a hundred connections is written half a
   * millisecond after the first.
   */
  flush () {
    if (this.script !== null) {
      this.script.pump()
      return
    }
    const now = world.now()
    const bytes = this.train.nextOf(this.order, this.flight.prepared)
    if (bytes === null) this.flushSingly(now)
    else if (this.traces === null) this.flushJoined(bytes, now)
    else this.flushTraced(bytes, now)
  }

  flushJoined (bytes, now) {
    if (this.owner.isOpenModel) {
      // Writes first, since `now` is the send time, and does the bookkeeping while the server is working.
      this.put(bytes)
      this.bookAll(now)
    } else {
      this.bookAll(now)
      this.put(bytes)
    }
  }

  // Each copy gets its trace context where it stands, so it may be written again only after the system has taken it.
  flushTraced (bytes, now) {
    const { flight, traces, train, order: { next: first } } = this
    const count = flight.prepared
    const view = train.viewOf(first, count)
    let serial = traces.take(count)
    for (let index = 0; index < count; index++) {
      flight.serial[flight.slotAt(flight.inFlight + index)] = serial
      traces.write(view, train.traceAt(first, count, index), serial++)
    }
    this.flushJoined(bytes, now)
    if (!isTaken(this.socket)) train.renew(first, count)
  }

  traceWith (traces) {
    super.traceWith(traces)
    this.flight.keepSerials()
  }

  serialOf (slot) {
    return this.flight.serial[slot]
  }

  put (bytes) {
    this.owner.recorder.bytesWritten += bytes.length
    world.write(this.socket, bytes)
  }

  bookAll (now) {
    const { train, order } = this
    let place = 0
    for (let count = this.flight.prepared; count > 0; count--) {
      place = order.take()
      this.book(train.endpoints[place], now)
    }
    // Only the last request can be a closing one, since there is no room after it.
    if (train.closes && train.requests[place].closes) this.sentClosing()
  }

  /** The request sent last asks to close the connection after its response. */
  sentClosing () {
    this.isLast = true
    this.endsByRequest = true
  }

  // Writes requests one by one if they contain an id, are too large to copy, or are not in list order.
  flushSingly (now) {
    const { flight, order, socket } = this
    const { requests } = this.train
    const isOne = flight.prepared === 1
    if (!isOne) socket.cork()
    for (let index = 0; index < flight.prepared; index++) this.write(requests[order.at(index)], flight.slotAt(flight.inFlight + index))
    this.bookAll(now)
    if (!isOne) socket.uncork()
  }

  write (request, slot) {
    this.owner.recorder.bytesWritten += request.length
    if (request.text !== null && this.traces === null) world.writeText(this.socket, request.text)
    else this.writePieces(request, slot)
  }

  writePieces (request, slot) {
    const pieces = request.takesId ? this.instanceWithId(request, slot) : request.pieces
    if (this.traces !== null) this.trace(request, pieces[0], slot)
    if (pieces.length === 1) world.write(this.socket, pieces[0])
    else this.writeTogether(pieces)
    if (this.traces !== null && pieces === request.pieces && !isTaken(this.socket)) request.renew()
  }

  writeTogether (pieces) {
    const { socket } = this
    socket.cork()
    for (const piece of pieces) socket.write(piece)
    socket.uncork()
  }

  instanceWithId (request, slot) {
    const id = world.nextId()
    this.idsSent[slot] = id
    return request.instance(id)
  }

  trace (request, bytes, slot) {
    const serial = this.traces.take(1)
    this.flight.serial[slot] = serial
    this.traces.write(bytes === request.pieces[0] ? request.firstView : TraceIds.viewOf(bytes), request.traceAt, serial)
  }

  /** For a script: returns the writer for the body of the request just written. It keeps a reference to the socket. */
  bodyWriter (slot, length) {
    this.mayBeReused = false
    const BodyWriter = require('./body-writer')
    return new BodyWriter(this.socket, length === null, (bytes) => { this.owner.recorder.bytesWritten += bytes })
  }

  /**
   * The response arrived before the whole request body was sent. The rest cannot be skipped, and the server no longer wants it,
   * so the connection must close.
   */
  answeredEarly () {
    this.sentClosing()
  }

  // --- receiving

  received (length) {
    if (!this.isOpen) return this.receivedEarly(length)
    const now = this.arrivalTime()
    const { recorder, isOpenModel } = this.owner
    recorder.look(now)
    recorder.bytesRead += length
    const wasFull = isOpenModel && this.room <= 0
    const answered = this.answeredHere
    const taken = this.isBetween ? this.takeWhole(length, now) : 0
    if (taken < length && !this.read(taken, length, now)) return this.isOpen
    if (this.answeredHere !== answered) {
      // If hooks still hold the connection, they report when it becomes free.
      if (wasFull && (this.script === null || this.room > 0)) this.becameFree(now)
      this.owner.ready(this, this.script === null ? now : world.now())
    }
    return true
  }

  /**
   * Processes the responses that nearly all are: complete, with the same head as the last one, and with a body that nobody reads.
   * Those to requests sent at the same moment are counted together. With 16 pipelined requests this takes a fifth of the time of
   * reading them one by one.
   *
   * @returns {number} how many bytes were processed; the rest must be parsed
   */
  takeWhole (length, now) {
    const { owner, flight } = this
    if (!this.mayTakeWhole || this.script !== null || this.isLast || owner.watchesResponses) return 0
    let position = 0
    while (position < length && flight.inFlight > 0) {
      const { head } = flight
      const endpoint = flight.endpoint[head]
      const memo = owner.memos[endpoint]
      const count = memo.countWhole(RECEIVE_BUFFER, position, length, flight.likeOldest)
      if (count === 0) break
      position += count * memo.wholeLength
      flight.takeSeveral(count)
      this.answeredHere += count
      this.failuresInRow = 0
      owner.recorder.completedWhole(count, endpoint, memo, flight.dueAt[head], flight.sentAt[head], now, this, head)
    }
    return position
  }

  // Returns whether the connection is still open.
  read (start, length, now) {
    this.now = now
    const isValid = this.parser.execute(RECEIVE_BUFFER, length, now, start)
    if (!this.isOpen) return false
    this.isBetween = !this.parser.midway
    if (!isValid) {
      this.breakOff(this.parser.fault, false)
    } else if (this.parser.stopped) {
      this.retire()
    }
    return this.isOpen
  }

  /** For the parser: returns the memo for the next response. */
  memo () {
    const { flight } = this
    return flight.inFlight === 0 ? null : this.owner.memos[flight.endpoint[flight.head]]
  }

  onInformational (status) {
    if (status === 101) this.parser.fail('it switches protocols, which was not requested')
    else this.owner.recorder.informational++
  }

  onHead (head, buffer, start, end) {
    if (head.close) this.onLastResponse()
    const slot = this.flight.head
    if (this.script !== null) this.parser.wantsBody = this.script.onHead(slot, head, buffer, start, end)
    if (this.events !== null) this.beginEvents(slot, head)
    return this.script !== null ? this.script.isHead(slot) : this.train.isHead(this.flight.endpoint[slot])
  }

  beginEvents (slot, head) {
    this.hooksWantBody = this.parser.wantsBody
    this.parser.wantsBody = true
    this.events.begin(slot, head, this.flight.sentAt[slot], this.now)
  }

  onLastResponse () {
    this.isLast = true
    this.endsByResponse = true
  }

  onBody (buffer, start, end) {
    if (this.events !== null) {
      end = this.readEvents(buffer, start, end)
      if (!this.hooksWantBody || end === start || this.parser.fault !== null) return
    }
    const problem = this.script.onBody(this.flight.head, buffer, start, end, this.parser.isBodyWhole)
    if (problem !== '') this.parser.fault = faults.bodyTooLong(problem)
  }

  // Returns where the response ends in this piece.
  readEvents (buffer, start, end) {
    const cutAt = this.events.take(buffer, start, end, this.now)
    if (this.events.problem !== '') this.parser.fault = faults.bodyTooLong(this.events.problem)
    if (cutAt === null) return end
    this.parser.cut(cutAt)
    return cutAt
  }

  onChunkEnd (position) {
    if (this.events !== null && this.events.chunkEnded()) this.parser.cut(position)
  }

  /** Called by its events when a response has lasted as long as the plan allows. */
  streamLimitReached () {
    this.now = world.now()
    this.owner.recorder.look(this.now)
    this.parser.complete()
    if (this.isOpen) this.retire()
  }

  // A response that we cut off is the last on its connection: closing is the only way to tell an HTTP/1.1 server to stop sending.
  endEvents () {
    this.now = this.events.finish(this.now)
    if (this.events.isCut) this.sentClosing()
  }

  onComplete (status, bytes, firstByteAt) {
    if (this.events !== null) this.endEvents()
    const { owner, parser, flight, now } = this
    const slot = flight.take()
    this.answeredHere++
    this.failuresInRow = 0
    owner.recorder.completedRequest(flight.endpoint[slot], status, bytes, flight.dueAt[slot], flight.sentAt[slot], firstByteAt, now, parser.statusLineAt, this, slot)
    owner.recorder.receivedReply(parser.headBytes, parser.contentBytes, parser.footerBytes)
    if (this.script !== null || owner.watchesResponses) this.observed(slot, status, bytes)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
    if (this.isLast && (this.endsByResponse || flight.inFlight === 0)) this.parser.stopped = true
  }

  // Called if a script or a listener needs this response.
  observed (slot, status, bytes) {
    const milliseconds = this.millisecondsOf(slot, this.now)
    if (this.script !== null) this.script.onComplete(slot, status, bytes, milliseconds)
    else this.owner.responded(this, status, bytes, milliseconds)
  }

  /** How much of the response to the oldest request in flight has arrived. */
  get progress () {
    const { parser, events } = this
    if (!parser.hasStatus) return NO_PROGRESS
    return new Progress(parser.firstByteAt, parser.statusLineAt, events === null || !parser.isInBody ? NaN : events.newestAt, parser.finalStatus)
  }

  // --- ending

  /** Closes a connection after its last response. Unanswered requests are lost because the server closed it. */
  retire () {
    const byUs = this.flight.inFlight === 0 && (this.endsByRequest || this.answeredHere === this.owner.plan.reconnectRate)
    this.loseAll(faults.closedByServer())
    this.close(!byUs)
  }

  /** The requests behind the one that times out are lost. */
  expireOldest () {
    if (this.flight.inFlight > 0) this.timeOut()
    this.close(false)
  }

  /** Closes a connection that has failed for the given reason. */
  breakOff (fault, byServer) {
    if (this.flight.inFlight === 0) this.owner.connectionBroken(fault)
    this.loseAll(fault)
    this.close(byServer)
  }

  close (byServer) {
    this.parser.stopped = true
    if (this.events !== null) this.events.stop()
    super.close(byServer)
  }

  /** A socket that was open may be reused by the next connection. */
  letGo (socket) {
    if (this.handshake === null && this.mayBeReused && this.sockets.takesBack(this.target)) leave(socket, this.sockets)
    super.letGo(socket)
  }

  // --- socket events

  endedByServer (now) {
    this.now = now
    this.owner.recorder.look(now)
    if (this.parser.midway && !this.parser.finish()) this.loseAll(faults.truncated())
    this.loseAll(faults.closedByServer())
    if (this.isOpen) this.close(true)
  }
}

// Whether the system has taken all that was written to a socket.
function isTaken (socket) {
  return socket !== null && world.isFlushed(socket)
}

module.exports = Http1Connection
