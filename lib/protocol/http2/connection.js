'use strict'

const faults = require('../../base/faults')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const world = require('../../world')
const { PROTOCOL_ERROR, errorName } = require('./constants')
const { WINDOWS } = require('./frames')
const Incoming = require('./incoming')
const Goaway = require('./goaway')
const { Outgoing } = require('./outgoing')
const Responses = require('./responses')
const StreamConnection = require('./stream-connection')
const { AWAITS_HEAD } = require('./stream-table')

const ALPN = ['h2']
const HTTP1_FIRST_BYTE = 0x48

/**
 * One HTTP/2 connection (RFC 9113). The methods follow its life cycle: opening, sending, receiving, GOAWAY, ending.
 *
 * Its parts: `outgoing` (frames to send, within the server's limits), `incoming` (received frames), `responses` (the response of each
 * stream), and `goaway` (GOAWAY of either side).
 */
class Http2Connection extends StreamConnection {
  constructor (plan, index, target, set, hooks) {
    super(plan, index, target, set)
    this.outgoing = new Outgoing(this)
    this.responses = this.createResponses(plan, hooks)
    this.incoming = new Incoming(this)
    this.goaway = new Goaway()
    this.now = 0
  }

  createResponses (plan) {
    return new Responses(this, plan)
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
    this.refusedStreams.moveInto(this.waiting)
    this.connected(now)
    if (this.hasPrepared && this.mayBegin) this.flush()
    return this.afterPacket(now, false)
  }

  // --- sending

  /** Writes the requests that `send` has accepted, in one write, up to the server's limit of concurrent streams. */
  flush () {
    if (this.script !== null) {
      this.script.pump()
      return
    }
    const now = world.now()
    // What the server refused may have waited beyond the end of the window, for its connection to open or for room.
    if (!this.owner.maySend) return
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
    const corked = isFreer && this.outgoing.hasPendingAnswers ? this.socket : null
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
    if (!isFreer && !this.hasReturned) return true
    this.hasReturned = false
    if (isFreer && wasFull && (this.script === null || this.room > 0)) this.becameFree(now)
    this.sendMore(this.script === null ? now : world.now())
    return true
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

  // --- deadlines

  // When the deadline of the request in a slot began to count.
  startOf (slot) {
    const { owner, script, streams } = this
    if (this.hasTimeouts) return script.startOf(slot, streams.dueAt)
    return (owner.isOpenModel ? streams.dueAt : streams.begunAt)[slot]
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
    this.hasReturned ||= this.waiting.count > 0
    this.returnUnwritten()
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

  // --- socket events

  /** Called when the server has sent its FIN. */
  endedByServer (now) {
    this.now = now
    if (this.streams.inFlight > 0) this.breakOff(this.howItEnded(), true)
    else if (this.isOpen) this.close(true)
  }

  howItEnded () {
    const { streams, incoming } = this
    const isMidway = incoming.reader.midway || streams.slots.some((slot) => streams.state[slot] !== AWAITS_HEAD)
    return isMidway ? faults.truncated() : faults.closedByServer()
  }
}

module.exports = Http2Connection
