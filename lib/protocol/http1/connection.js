'use strict'

const { CODES } = require('../../base/errors')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const { leave } = require('../../transport/socket-events')
const { Progress, NO_PROGRESS } = require('../shared/progress')
const QueuedConnection = require('../shared/queued-connection')
const { EventStream, ALL } = require('../stream/event-stream')
const BodyWriter = require('./body-writer')
const world = require('../../world')
const ResponseParser = require('./parser')
const RequestRing = require('../shared/request-ring')

const ALPN = ['http/1.1']

/** One HTTP/1.1 connection and its life, from top to bottom: open, sent, received, completed, ended, closed. */
class Http1Connection extends QueuedConnection {
  constructor (plan, index, target, train) {
    super(plan, index, target, train)
    this.parser = new ResponseParser(this)
    this.flight = new RequestRing(this.depth)
    this.now = 0
    /** What reads the events of responses; null where these are no streams. */
    this.events = plan.stream === null ? null : new EventStream(this, plan.stream)
    this.hooksWantBody = false
    /** Whether a response is over when its bytes are: nobody reads its body, and no number of them ends the connection. */
    this.mayTakeWhole = plan.stream === null && plan.reconnectRate === null && !train.hasHead
  }

  beginLife () {
    super.beginLife()
    /** It was a request: we end it, when all is answered. */
    this.endsByRequest = false
    /** It was a response: nothing will come after it. */
    this.endsByResponse = false
    /** Whether nobody else knows its socket. */
    this.mayBeReused = true
    /** Whether what comes next begins a response. */
    this.isBetween = true
  }

  /** What is offered by ALPN. */
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
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    if (this.train.closes) room = Math.min(room, this.untilClosing - prepared)
    if (reconnectRate !== null) room = Math.min(room, reconnectRate - this.sentHere - prepared)
    if (maxConnectionRequests !== null) room = Math.min(room, maxConnectionRequests - this.sentEver - prepared)
    return room
  }

  // A request that says that its connection ends is the last on it: what was given to it beyond would wait for its end.
  get untilClosing () {
    return this.script === null ? this.order.untilClosing(this.train.requests, this.depth) : this.script.untilClosing
  }

  /** Writes what `send` has taken, in one piece. */
  flush (now) {
    if (this.script !== null) {
      this.script.pump()
      return
    }
    const bytes = this.train.nextOf(this.order, this.flight.prepared)
    if (bytes === null) {
      this.flushSingly(now)
    } else if (this.owner.isOpenModel) {
      // `now` is when they go out, and what there is to book is booked while the server is at work.
      this.put(bytes)
      this.bookAll(now)
    } else {
      this.bookAll(now)
      this.put(bytes)
    }
  }

  put (bytes) {
    this.owner.recorder.bytesWritten += bytes.length
    this.socket.write(bytes)
  }

  bookAll (now) {
    const { train, order } = this
    let place = 0
    for (let count = this.flight.prepared; count > 0; count--) {
      place = order.take()
      this.book(train.endpoints[place], now)
    }
    // There was no room for more behind one that closes.
    if (train.closes && train.requests[place].closes) this.sentClosing()
  }

  /** The request that was sent last says that this connection ends with its response. */
  sentClosing () {
    this.isLast = true
    this.endsByRequest = true
  }

  // Requests with an id of their own, too large to copy, or not in the order of the list.
  flushSingly (now) {
    const { flight, order, socket } = this
    const { requests } = this.train
    socket.cork()
    for (let index = 0; index < flight.prepared; index++) this.write(requests[order.at(index)])
    this.bookAll(now)
    socket.uncork()
  }

  write (request) {
    this.owner.recorder.bytesWritten += request.length
    for (const piece of request.instance()) this.socket.write(piece)
  }

  /** For a script: what takes the body of the request just written. It may hold on to its socket. */
  bodyWriter (slot, length) {
    this.mayBeReused = false
    return new BodyWriter(this.socket, length === null, (bytes) => { this.owner.recorder.bytesWritten += bytes })
  }

  /** Answered before all of its body was sent: what is missing cannot be left out, and no server wants it any more. */
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
      // Where hooks hold it still, it is they who say when it is free.
      if (wasFull && (this.script === null || this.room > 0)) this.becameFree(now)
      this.owner.ready(this, this.script === null ? now : world.now())
    }
    return true
  }

  /**
   * Takes the responses that are what nearly all are: whole, with the same head as the last, and of no further interest. Those to
   * requests of the same moment are counted as one. With 16 pipelined requests that is a fifth of what it takes to read them one by one.
   *
   * @returns {number} how many bytes that was; what follows has to be read
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
      owner.recorder.completedWhole(count, endpoint, memo, flight.dueAt[head], flight.sentAt[head], now)
    }
    return position
  }

  // Gives whether all is well, and the connection lives on.
  read (start, length, now) {
    this.now = now
    const isValid = this.parser.execute(RECEIVE_BUFFER, length, now, start)
    if (!this.isOpen) return false
    this.isBetween = !this.parser.midway
    if (!isValid) {
      this.breakOff(CODES.BAD_RESPONSE, 'parse', `the server's response is not a valid response: ${this.parser.problem}`, false)
    } else if (this.parser.stopped) {
      this.retire()
    }
    return this.isOpen
  }

  /** For the parser: the memo of the response that is next. */
  memo () {
    const { flight } = this
    return flight.inFlight === 0 ? null : this.owner.memos[flight.endpoint[flight.head]]
  }

  onInformational (status) {
    if (status === 101) this.parser.problem = 'it switches protocols, which was not requested'
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
      if (!this.hooksWantBody || end === start || this.parser.problem !== '') return
    }
    this.parser.problem = this.script.onBody(this.flight.head, buffer, start, end, this.parser.isBodyWhole)
  }

  // Gives where the response ends in this piece.
  readEvents (buffer, start, end) {
    const cutAt = this.events.take(buffer, start, end, this.now)
    if (this.events.problem !== '') this.parser.problem = `its body ${this.events.problem}`
    if (cutAt === ALL) return end
    this.parser.cut(cutAt)
    return cutAt
  }

  onChunkEnd (position) {
    if (this.events !== null && this.events.chunkEnded()) this.parser.cut(position)
  }

  /** For its events: a response has lasted for as long as the plan gives it. */
  streamLimitReached () {
    this.now = world.now()
    this.owner.recorder.look(this.now)
    this.parser.complete()
    if (this.isOpen) this.retire()
  }

  // A response that was cut off is the last here: no other way tells a server that nobody wants the rest.
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
    owner.recorder.completedRequest(flight.endpoint[slot], status, bytes, flight.dueAt[slot], flight.sentAt[slot], firstByteAt, now, parser.statusLineAt)
    owner.recorder.receivedReply(parser.headBytes, parser.contentBytes, parser.footerBytes)
    if (this.script !== null || owner.watchesResponses) this.observed(slot, status, bytes)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
    if (this.isLast && (this.endsByResponse || flight.inFlight === 0)) this.parser.stopped = true
  }

  // Somebody wants to know of this response.
  observed (slot, status, bytes) {
    const milliseconds = this.millisecondsOf(slot, this.now)
    if (this.script !== null) this.script.onComplete(slot, status, bytes, milliseconds)
    else this.owner.responded(this, status, bytes, milliseconds)
  }

  /** How far the response to the oldest request in flight has come. */
  get progress () {
    const { parser, events } = this
    if (!parser.hasStatus) return NO_PROGRESS
    return new Progress(parser.firstByteAt, parser.statusLineAt, events === null || !parser.isInBody ? NaN : events.newestAt)
  }

  // --- ending

  /** Ends a connection that has given its last response; what it still owes was lost by the server's wish to close. */
  retire () {
    const byUs = this.flight.inFlight === 0 && (this.endsByRequest || this.answeredHere === this.owner.plan.reconnectRate)
    this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered')
    this.close(!byUs)
  }

  /** The first request in flight has passed its deadline: it is timed out, and those behind it are lost with it. */
  expire () {
    if (this.isConnecting) {
      this.expireOpening()
      return
    }
    if (this.flight.inFlight > 0) {
      this.timeOutOldest()
      this.loseRest()
    }
    this.close(false)
  }

  /** The connection is of no use any more, for the reason given. */
  breakOff (code, phase, message, byServer) {
    if (this.flight.inFlight === 0) this.owner.connectionBroken(code, phase, message)
    this.loseAll(code, phase, message)
    this.close(byServer)
  }

  close (byServer) {
    this.parser.stopped = true
    if (this.events !== null) this.events.stop()
    super.close(byServer)
  }

  /** A socket that was open may serve again, for whichever connection comes next. */
  letGo (socket) {
    if (this.handshake === null && this.mayBeReused && this.sockets.takesBack(this.target)) leave(socket, this.sockets)
    super.letGo(socket)
  }

  // --- what the socket tells

  /** The server has sent its FIN. */
  ended () {
    if (this.isConnecting) {
      this.handshake.ended()
      return
    }
    this.now = world.now()
    this.owner.recorder.look(this.now)
    if (this.parser.midway && !this.parser.finish()) {
      this.loseAll(CODES.TRUNCATED_RESPONSE, 'receive', 'the server closed the connection in the middle of a response')
    }
    this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered')
    if (this.isOpen) this.close(true)
  }
}

module.exports = Http1Connection
