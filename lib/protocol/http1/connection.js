'use strict'

const { performance } = require('node:perf_hooks')
const { CODES, secondsInWords } = require('../../errors')
const { RECEIVE_BUFFER } = require('./connect')
const Handshake = require('./handshake')
const ResponseParser = require('./parser')
const RequestRing = require('./request-ring')

const CLOSED = 0
const CONNECTING = 1
const OPEN = 2

/**
 * One HTTP/1.1 connection and its life, from top to bottom: open, connected, send, received, completed, ended, closed.
 *
 * It knows no schedule. Its owner says when to send, and has these methods:
 * `ready(connection, now)`: it can take requests; `closed(connection, wasOpen)`: it has ended and all its requests
 * are accounted for; `unwritten(connection, dueAt)`: a request given to `send` goes back, no byte of it was written;
 * `requestFailed(…)`, `requestTimedOut(…)`, `connectionFailed(…)`, `connectionBroken(…)` (while it owed nothing). What
 * completes goes straight to `owner.recorder`.
 */
class Connection {
  /**
   * @param {object} plan
   * @param {number} index which connection this is
   * @param {object} target of the plan
   * @param {RequestTrain} train the target's requests
   */
  constructor (plan, index, target, train) {
    /** See above; also `plan`, `recorder`, `memos` (a HeadMemo per endpoint). Set before the connection is opened. */
    this.owner = null
    this.index = index
    this.target = target
    this.train = train
    /** What runs the user's hooks for this connection; null on the plain path. */
    this.script = null
    this.state = CLOSED
    this.socket = null
    this.parser = new ResponseParser(this)
    this.depth = plan.pipelining
    this.ring = new RequestRing(this.depth)
    this.cursor = 0
    this.now = 0
    this.sentEver = 0
    /** Connections in a row that gave no response; the next attempt waits the longer. */
    this.fruitless = 0
    /** Since when there has been room for a request, ms. */
    this.freeSince = 0
    this.beginLife()
  }

  beginLife () {
    /** The way to the server, until it is open. */
    this.handshake = null
    this.sentHere = 0
    this.answeredHere = 0
    /** No further request may go out: a response, a request or the plan said that this connection ends. */
    this.isLast = false
    /** It was a request: we end it, when all is answered. */
    this.endsByRequest = false
    /** It was a response: nothing will come after it. */
    this.endsByResponse = false
  }

  get isOpen () {
    return this.state === OPEN
  }

  get isConnecting () {
    return this.state === CONNECTING
  }

  get isInUse () {
    return this.state !== CLOSED
  }

  /** Open, and nobody has said that it ends. */
  get takesRequests () {
    return this.state === OPEN && !this.isLast
  }

  /** How many requests it has, sent or still to be written. */
  get busy () {
    return this.ring.inFlight + this.ring.prepared
  }

  /** Open, and owing nothing. */
  get isIdle () {
    return this.takesRequests && this.busy === 0
  }

  /** Whether the feed has no row for it any more, and all requests of its last one have been sent. */
  get isSpent () {
    return this.script !== null && this.script.isSpent
  }

  /** Whether this connection has requests left to send, as far as its own limit goes. */
  get isWorthReopening () {
    const { maxConnectionRequests } = this.owner.plan
    return maxConnectionRequests === null || this.sentEver < maxConnectionRequests
  }

  // --- opening

  open () {
    this.beginLife()
    this.state = CONNECTING
    this.parser.reset()
    this.handshake = new Handshake(this, this.owner.plan)
    this.handshake.begin()
  }

  failedToOpen (code, phase, message) {
    this.fruitless++
    this.owner.connectionFailed(code, phase, message)
    this.close(false)
  }

  connected (now, { total, dns, tcp, tls }) {
    this.handshake = null
    this.state = OPEN
    this.freeSince = now
    this.owner.recorder.openedConnection(total, dns, tcp, tls)
    this.owner.ready(this, now)
  }

  // --- sending

  /** How many more requests may be given to `send` now. */
  get room () {
    if (!this.takesRequests) return 0
    const { prepared } = this.ring
    let room = this.depth - this.busy - (this.script === null ? 0 : this.script.settling)
    if (this.script !== null) room = Math.min(room, this.script.supply - prepared)
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    if (this.train.closes && this.script === null) room = Math.min(room, this.train.untilClosing(this.cursor) - prepared)
    if (reconnectRate !== null) room = Math.min(room, reconnectRate - this.sentHere - prepared)
    if (maxConnectionRequests !== null) room = Math.min(room, maxConnectionRequests - this.sentEver - prepared)
    return room
  }

  /** Takes one request that came due at `dueAt`; `flush` writes it. Only when there is room. */
  send (dueAt) {
    this.ring.prepare(dueAt)
  }

  /** When the oldest request came due that `send` has taken and nobody has written; Infinity: there is none. */
  get oldestPrepared () {
    return this.ring.prepared === 0 ? Infinity : this.ring.oldestPrepared
  }

  /** Forgets it. @returns {number} when it came due */
  dropPrepared () {
    return this.ring.dropPrepared()
  }

  /** Writes what `send` has taken, in one piece. */
  flush (now) {
    if (this.script !== null) {
      this.script.pump()
      return
    }
    const count = this.ring.prepared
    const { train } = this
    const first = this.cursor
    for (let index = 0; index < count; index++) {
      this.book(train.endpoints[this.cursor], now)
      this.cursor = this.cursor + 1 === train.requests.length ? 0 : this.cursor + 1
    }
    if (train.closes && train.requests[(first + count - 1) % train.requests.length].closes) this.sentClosing()
    const bytes = train.bytes(first, count)
    if (bytes !== null) {
      this.owner.recorder.bytesWritten += bytes.length
      this.socket.write(bytes)
    } else {
      this.writeSingly(first, count)
    }
  }

  /** Books the next request as sent. */
  book (endpoint, now) {
    const slot = this.ring.send(endpoint, now)
    this.sentHere++
    this.sentEver++
    const { recorder } = this.owner
    recorder.sent++
    if (recorder.open) recorder.delayedSend(this.ring.dueAt[slot], this.freeSince, now)
  }

  /** The request that was sent last says that this connection ends with its response. */
  sentClosing () {
    this.isLast = true
    this.endsByRequest = true
  }

  // Requests with an id of their own, or too large to copy.
  writeSingly (first, count) {
    this.socket.cork()
    for (let index = 0; index < count; index++) {
      this.write(this.train.requests[(first + index) % this.train.requests.length])
    }
    this.socket.uncork()
  }

  write (request) {
    this.owner.recorder.bytesWritten += request.length
    for (const piece of request.instance()) this.socket.write(piece)
  }

  // --- receiving

  received (length) {
    if (this.state !== OPEN) return this.state === CONNECTING && this.handshake.received(length)
    const now = performance.now()
    this.now = now
    this.owner.recorder.bytesRead += length
    const wasFull = this.owner.isOpenModel && this.room <= 0
    const answered = this.answeredHere
    const isValid = this.parser.execute(RECEIVE_BUFFER, length, now)
    if (this.state !== OPEN) return false
    if (!isValid) {
      this.breakOff(CODES.BAD_RESPONSE, 'parse', `the server's answer is no valid response: ${this.parser.problem}`, false)
    } else if (this.parser.stopped) {
      this.retire()
    } else if (this.answeredHere !== answered) {
      if (wasFull) this.freeSince = now
      this.owner.ready(this, this.script === null ? now : performance.now())
    }
    return true
  }

  /** For the parser: the memo of the response that is next. */
  memo () {
    const { ring } = this
    return ring.inFlight === 0 ? null : this.owner.memos[ring.endpoint[ring.head]]
  }

  onInformational (status) {
    if (status === 101) this.parser.problem = 'it switches protocols, which was not asked for'
    else this.owner.recorder.informational++
  }

  onHead (head, buffer, start, end) {
    if (head.close) this.onLastResponse()
    if (this.script !== null) return this.script.onHead(head, buffer, start, end)
    return this.train.isHead(this.ring.endpoint[this.ring.head])
  }

  onLastResponse () {
    this.isLast = true
    this.endsByResponse = true
  }

  onBody (buffer, start, end) {
    this.script.onBody(buffer, start, end)
  }

  onComplete (status, bytes, firstByteAt) {
    const { owner, ring, now } = this
    const slot = ring.take()
    this.answeredHere++
    this.fruitless = 0
    owner.recorder.completedRequest(ring.endpoint[slot], status, bytes, ring.dueAt[slot], ring.sentAt[slot], firstByteAt, now)
    if (this.script !== null || owner.watchesResponses) this.observed(slot, status, bytes)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
    if (this.isLast && (this.endsByResponse || ring.inFlight === 0)) this.parser.stopped = true
  }

  // Somebody wants to know of this response.
  observed (slot, status, bytes) {
    const { owner, ring, now } = this
    const milliseconds = now - (owner.recorder.fromDueTime ? ring.dueAt : ring.sentAt)[slot]
    if (this.script !== null) this.script.onComplete(slot, status, bytes, milliseconds)
    else owner.responded(this, status, bytes, milliseconds)
  }

  // --- ending

  /** Ends a connection that has given its last response; what it still owes was lost by the server's wish to close. */
  retire () {
    const byUs = this.ring.inFlight === 0 && (this.endsByRequest || this.answeredHere === this.owner.plan.reconnectRate)
    this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered')
    this.close(!byUs)
  }

  /** The first request in flight has passed its deadline: it is timed out, and those behind it are lost with it. */
  expire () {
    if (this.state === CONNECTING) {
      this.failedToOpen(CODES.CONNECT_TIMEOUT, this.handshake.phase, `no connection within ${secondsInWords(this.owner.plan.timeout)}`)
      return
    }
    const { ring } = this
    if (ring.inFlight > 0) {
      const slot = ring.take()
      this.owner.requestTimedOut(ring.endpoint[slot], ring.dueAt[slot], ring.sentAt[slot])
      this.loseAll(CODES.LOST_IN_PIPELINE, 'receive', 'an earlier request on the same connection timed out')
    }
    this.close(false)
  }

  /** The connection is of no use any more, for the reason given. */
  breakOff (code, phase, message, byServer) {
    if (this.ring.inFlight === 0) this.owner.connectionBroken(code, phase, message)
    this.loseAll(code, phase, message)
    this.close(byServer)
  }

  // The oldest request takes the blame; each one behind it is a failure of its own.
  loseAll (code, phase, message) {
    const now = performance.now()
    const { ring } = this
    while (ring.inFlight > 0) {
      const slot = ring.take()
      this.owner.requestFailed(ring.endpoint[slot], ring.dueAt[slot], ring.sentAt[slot], now, code, phase, message)
      code = CODES.LOST_IN_PIPELINE
      message = 'an earlier request on the same connection failed'
    }
  }

  /** The run is over: what is in flight stays unfinished. */
  abandon (now) {
    const { ring } = this
    while (ring.inFlight > 0) {
      const slot = ring.take()
      this.owner.recorder.unfinishedRequest(ring.endpoint[slot], ring.dueAt[slot], ring.sentAt[slot], now)
    }
    this.close(false)
  }

  /** Closes the socket if there is one; nothing may be in flight. */
  close (byServer) {
    const wasOpen = this.state === OPEN
    if (this.state === CLOSED) return
    this.state = CLOSED
    this.parser.stopped = true
    if (wasOpen) {
      if (this.answeredHere === 0) this.fruitless++
      this.owner.recorder.closedConnection(byServer)
    }
    this.returnUnwritten()
    if (this.script !== null) this.script.onClose()
    // There is none where Node would not even begin.
    this.socket?.destroy()
    this.socket = null
    this.owner.closed(this, wasOpen)
  }

  /** What was given to `send` and not written goes back to the owner. */
  returnUnwritten () {
    const { ring } = this
    while (ring.prepared > 0) this.owner.unwritten(this, ring.unprepare())
  }

  // --- what the socket tells

  /** The server has sent its FIN. */
  ended () {
    if (this.state === CONNECTING) {
      this.handshake.ended()
      return
    }
    this.now = performance.now()
    if (this.parser.midway && !this.parser.finish()) {
      this.loseAll(CODES.TRUNCATED_RESPONSE, 'receive', 'the server closed the connection in the middle of a response')
    }
    this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered')
    if (this.state === OPEN) this.close(true)
  }

  failed (code, message, syscall) {
    if (this.state === CONNECTING) this.failedToOpen(code, this.handshake.phase, message)
    else this.breakOff(code, syscall === 'write' ? 'send' : 'receive', message, true)
  }
}

module.exports = Connection
