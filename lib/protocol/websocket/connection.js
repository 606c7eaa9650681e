'use strict'

const { CODES } = require('../../errors')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const world = require('../../world')
const Connection = require('../connection')
const RequestRing = require('../http1/request-ring')
const { TEXT, NORMAL, NO_STATUS, ABNORMAL } = require('./constants')
const FrameReader = require('./frame-reader')
const { closeFrame, pingFrame, pongFrame } = require('./frames')
const MessageBook = require('./message-book')
const Opening = require('./opening')

const ALPN = ['http/1.1']
// A message has no status; what hooks are told is that of the handshake.
const STATUS = 101
// Of answers to Pings that a server does not read.
const MOST_UNREAD_BYTES = 1024 * 1024
const PING = pingFrame()
// What a message may be that answers none of this connection's.
const UNASKED = -1
const COPY = -2

/**
 * One WebSocket connection (RFC 6455) and its life, from top to bottom: open, reached, agreed on, sent, received, answered,
 * ended, closed. A message is a request; what answers it is, by `expect`, a message, a copy of its own, or nothing.
 */
class WebSocketConnection extends Connection {
  /**
   * @param {object} plan
   * @param {number} index
   * @param {object} target
   * @param {MessageTrain} train
   * @param {object} hooks `match`: from what is in a message to its id, or null
   */
  constructor (plan, index, target, train, { match }) {
    super(plan, index, target, train)
    const { expect, carriesIds, maxMessage } = plan.websocket
    this.depth = plan.pipelining
    this.match = match
    this.expectsNothing = expect === 'nothing'
    this.isBroadcast = expect === 'broadcast'
    this.carriesIds = carriesIds
    /** Whether answers are recognised by ids, so that they may come in any order. */
    this.isByIds = carriesIds || match !== null
    this.flight = this.isByIds ? new MessageBook() : new RequestRing(this.depth)
    this.reader = new FrameReader(this, maxMessage)
    this.cursor = 0
    this.now = 0
  }

  beginLife () {
    super.beginLife()
    this.opening = null
    /** Header fields of the server's answer to the handshake, for hooks. */
    this.fields = null
    this.isCompressed = false
    /** More has been written than the system takes: nothing is sent until it has gone. */
    this.isChoked = false
    this.isReadySoon = false
    this.ping = null
    /** The code of the Close frame with which it ends; null: the server cannot be spoken to. */
    this.farewell = null
    this.hasClosed = false
  }

  /** What is offered by ALPN. */
  get protocols () {
    return ALPN
  }

  /** How many messages it has, sent or still to be written. */
  get busy () {
    return this.flight.inFlight + this.flight.prepared
  }

  // --- opening (section 4)

  reached () {
    this.opening = new Opening(this.owner.plan, this.target)
    this.put(this.opening.request)
  }

  receivedOpening (length) {
    const now = world.now()
    const { opening, owner } = this
    const { recorder } = owner
    this.now = now
    recorder.bytesRead += length
    if (!opening.read(RECEIVE_BUFFER, length)) return true
    recorder.informational += opening.informational
    if (opening.status !== 0) recorder.messages.shookHands(opening.status)
    if (opening.problem !== '') {
      this.failedToOpen(CODES.BAD_HANDSHAKE, 'connect', `the server did not accept the WebSocket handshake: ${opening.problem}`)
      return false
    }
    this.agreed(opening)
    return this.joined(length - opening.behind, length, now)
  }

  joined (start, end, now) {
    this.connected(now)
    if (end > start && this.isOpen) this.read(start, end, now)
    return this.isOpen
  }

  agreed ({ inflater, fields }) {
    this.opening = null
    this.fields = fields
    this.isCompressed = inflater !== null
    this.reader.reset(inflater)
    this.farewell = NORMAL
  }

  // --- sending

  /** How many more messages may be given to `send` now. */
  get room () {
    if (!this.takesRequests || this.isChoked) return 0
    const { prepared } = this.flight
    let room = this.depth - this.busy - (this.script === null ? 0 : this.script.settling)
    if (this.script !== null) room = Math.min(room, this.script.supply - prepared)
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    if (reconnectRate !== null) room = Math.min(room, reconnectRate - this.sentHere - prepared)
    if (maxConnectionRequests !== null) room = Math.min(room, maxConnectionRequests - this.sentEver - prepared)
    return room
  }

  /** Takes one message that came due at `dueAt`; `flush` writes it. Only when there is room. */
  send (dueAt) {
    this.flight.prepare(dueAt)
  }

  /** How many messages `send` has taken and `flush` has not written. */
  get prepared () {
    return this.flight.prepared
  }

  /** The slots of the messages in flight, oldest first. */
  get slotsInFlight () {
    return this.flight.slotsInFlight
  }

  /** The slot of the message that was answered last. */
  get lastTaken () {
    return this.flight.lastTaken
  }

  /** Of the message in a slot. */
  endpointOf (slot) {
    return this.flight.endpoint[slot]
  }

  /** When the oldest message came due that `send` has taken and nobody has written; Infinity: there is none. */
  get oldestPrepared () {
    return this.flight.prepared === 0 ? Infinity : this.flight.oldestPrepared
  }

  /** Forgets it. @returns {number} when it came due */
  dropPrepared () {
    return this.flight.dropPrepared()
  }

  /** Writes what `send` has taken, in one piece. */
  flush (now) {
    if (this.script !== null) this.script.pump()
    else if (this.isByIds || !this.train.isRepeatable) this.flushSingly(now)
    else this.flushJoined(now)
  }

  flushJoined (now) {
    const { train } = this
    const first = this.cursor
    const count = this.flight.prepared
    let payload = 0
    for (let index = 0; index < count; index++) {
      payload += train.requests[this.cursor].payloadLength
      this.book(train.endpoints[this.cursor], now)
      this.advance()
    }
    this.owner.recorder.messages.bytesSent += payload
    const wires = this.isCompressed ? train.compressed : train
    const bytes = wires.bytes(first, count)
    if (bytes !== null) this.put(bytes)
    else this.putSingly(wires.requests, first, count)
    if (this.expectsNothing) {
      for (let index = 0; index < count; index++) this.handedOver(now)
    }
  }

  // Too long to join.
  putSingly (messages, first, count) {
    this.socket.cork()
    for (let index = 0; index < count; index++) this.put(messages[(first + index) % messages.length].pieces[0])
    this.socket.uncork()
  }

  // With ids of their own.
  flushSingly (now) {
    const { train, socket } = this
    const isOne = this.flight.prepared === 1
    if (!isOne) socket.cork()
    while (this.flight.prepared > 0 && this.isOpen) {
      const message = train.requests[this.cursor]
      const slot = this.book(train.endpoints[this.cursor], now)
      this.advance()
      this.write(message, slot)
    }
    if (!isOne) socket.uncork()
  }

  advance () {
    this.cursor = this.cursor + 1 === this.train.requests.length ? 0 : this.cursor + 1
  }

  /** Books the next message as sent. @returns {number} its slot */
  book (endpoint, now) {
    const slot = this.flight.send(endpoint, now)
    this.sentHere++
    this.sentEver++
    const { recorder } = this.owner
    recorder.sent++
    if (recorder.open) recorder.delayedSend(this.flight.dueAt[slot], this.freeSince, now, this.turn, this.held, this.apart)
    return slot
  }

  /** Writes a message that was booked. */
  write (message, slot) {
    const { flight, owner } = this
    const id = this.idFor(message, slot)
    owner.recorder.messages.bytesSent += message.payloadLength
    if (this.isByIds) this.nameSent(message, slot, id)
    const form = this.isCompressed ? message.compressed : message
    for (const piece of form.instance(id)) this.put(piece)
    if (this.expectsNothing) this.handedOver(flight.sentAt[slot])
  }

  // What goes into the places for an id.
  idFor (message, slot) {
    if (this.carriesIds) return this.owner.ids.next(this.goesToAll(slot))
    return message.takesId ? world.nextId() : ''
  }

  // The message in a slot goes out to all. @returns {number} when it was due, us since 1970
  goesToAll (slot) {
    const { recorder, plan } = this.owner
    const { [slot]: start } = recorder.open ? this.flight.dueAt : this.flight.sentAt
    const epoch = world.origin() + start
    recorder.messages.broadcast.sent(epoch + plan.timeout * 1000)
    return Math.round(epoch * 1000)
  }

  // By what its answer will be recognised.
  nameSent (message, slot, id) {
    const { ids } = this.owner
    if (this.carriesIds) {
      this.flight.name(slot, ids.lastNumber)
      return
    }
    const name = this.matchOf(message, id)
    if (name === undefined) return
    if (this.isBroadcast) ids.add(name, this.goesToAll(slot))
    this.flight.name(slot, this.isBroadcast ? ids.lastNumber : name)
  }

  // Of a message that is always the same it is asked for once.
  matchOf (message, id) {
    if (message.matched !== undefined) return message.matched
    let name
    try {
      name = this.match(message.contentWith(id)) ?? undefined
    } catch (error) {
      this.owner.hookFailed('websocket.match', error)
      return undefined
    }
    if (name === undefined) this.owner.hookFailed('websocket.match', new Error('it found no id in a message that was sent, so that nothing could answer it'))
    else if (message.isRepeatable) message.matched = name
    return name
  }

  /** Nothing answers it: it is complete. */
  handedOver (now) {
    const slot = this.flight.take()
    this.completed(slot, now, now)
    if (this.script !== null) this.script.onHandedOver(slot, this.millisecondsOf(slot, now))
    else if (this.owner.watchesResponses) this.owner.responded(this, STATUS, 0, this.millisecondsOf(slot, now))
    this.becomeReadySoon()
  }

  // Who sends may send more, when this turn is over.
  becomeReadySoon () {
    if (this.isReadySoon) return
    this.isReadySoon = true
    const { socket } = this
    world.setImmediate(() => {
      this.isReadySoon = false
      if (this.socket === socket && this.isOpen) this.continue()
    })
  }

  continue () {
    if (this.isOver) this.close(false)
    else this.owner.ready(this, world.now())
  }

  put (bytes) {
    const { owner, socket } = this
    owner.recorder.bytesWritten += bytes.length
    if (!socket.write(bytes) && this.expectsNothing && !this.isChoked) this.choke(socket)
  }

  // What is written beyond would only wait in our memory.
  choke (socket) {
    this.isChoked = true
    socket.once('drain', () => {
      if (this.socket !== socket || !this.isOpen) return
      this.isChoked = false
      this.becameFree(world.now())
      this.continue()
    })
  }

  /** A Ping of ours (section 5.5.2). */
  sendPing () {
    if (this.isOpen && this.socket.writableLength <= MOST_UNREAD_BYTES) this.put(PING)
  }

  // --- receiving

  received (length) {
    if (!this.isOpen) return this.receivedEarly(length)
    const now = world.now()
    this.owner.recorder.look(now)
    this.owner.recorder.bytesRead += length
    // The server's goodbye is waited for, and has to be seen.
    return this.read(0, length, now) || this.farewell !== null
  }

  read (start, end, now) {
    const { owner, reader } = this
    this.now = now
    const wasFull = owner.isOpenModel && this.room <= 0
    const answered = this.answeredHere
    reader.wantsPayload = this.looksAtMessages
    reader.execute(RECEIVE_BUFFER, start, end, now)
    if (!this.isOpen) return false
    if (this.ping !== null) this.answerPing()
    if (this.isOver) {
      this.close(false)
      return false
    }
    if (this.answeredHere !== answered) {
      // Where hooks hold it still, it is they who say when it is free.
      if (wasFull && (this.script === null || this.room > 0)) this.becameFree(now)
      owner.ready(this, this.script === null ? now : world.now())
    } else if (this.isBroadcast) {
      owner.copiesCame()
    }
    return true
  }

  get looksAtMessages () {
    return this.isByIds || this.script !== null
  }

  // Nothing is in flight, and nothing more may be.
  get isOver () {
    return this.isLast && this.flight.inFlight === 0
  }

  /** A whole message has come. */
  onMessage (opcode, buffer, start, end, firstByteAt) {
    const { messages } = this.owner.recorder
    messages.received++
    messages.bytesReceived += end - start
    const slot = this.slotAnswered(opcode, buffer, start, end)
    if (slot >= 0) {
      this.answered(slot, opcode, buffer, start, end, firstByteAt)
    } else {
      if (slot === UNASKED) messages.unasked++
      if (this.script !== null) this.script.onPushed(buffer, start, end, opcode === TEXT)
    }
  }

  // The slot of the message that this one answers, or UNASKED; a copy of what another connection has sent is neither.
  slotAnswered (opcode, buffer, start, end) {
    const { flight } = this
    if (!this.isByIds) return flight.inFlight === 0 ? UNASKED : flight.take()
    if (this.isBroadcast) return this.slotOfCopy(opcode, buffer, start, end)
    const slot = this.find(this.matchOfReceived(opcode, buffer, start, end))
    return slot === MessageBook.NONE ? UNASKED : flight.remove(slot)
  }

  // Copies count wherever they come; the sender's own answers its message.
  slotOfCopy (opcode, buffer, start, end) {
    const { flight, owner: { ids, recorder: { messages: { broadcast } } } } = this
    const isKnown = this.carriesIds ? ids.find(buffer, start, end) : ids.find(this.matchOfReceived(opcode, buffer, start, end))
    if (!isKnown) return UNASKED
    const late = Math.max(0, Math.round((world.origin() + this.now) * 1000) - ids.foundDueAt)
    const isFirst = broadcast.copied(ids.foundPart, ids.foundNumber, this.index, late, this.now)
    if (!isFirst) return UNASKED
    const slot = ids.foundPart === ids.part ? flight.find(ids.foundNumber) : MessageBook.NONE
    return slot === MessageBook.NONE ? COPY : flight.remove(slot)
  }

  matchOfReceived (opcode, buffer, start, end) {
    try {
      return this.match(opcode === TEXT ? buffer.toString('utf8', start, end) : Buffer.from(buffer.subarray(start, end))) ?? undefined
    } catch {
      return undefined
    }
  }

  find (id) {
    return id === undefined ? MessageBook.NONE : this.flight.find(id)
  }

  answered (slot, opcode, buffer, start, end, firstByteAt) {
    this.fruitless = 0
    this.owner.recorder.receivedReply(0, end - start, 0)
    this.completed(slot, firstByteAt, this.now)
    const milliseconds = this.millisecondsOf(slot, this.now)
    if (this.script !== null) this.script.onReply(slot, buffer, start, end, opcode === TEXT, milliseconds)
    else if (this.owner.watchesResponses) this.owner.responded(this, STATUS, end - start, milliseconds)
    if (this.isOver) this.reader.stopped = true
  }

  completed (slot, firstByteAt, now) {
    const { flight, owner } = this
    this.answeredHere++
    owner.recorder.completedMessage(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], Math.max(firstByteAt, flight.sentAt[slot]), now)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
  }

  millisecondsOf (slot, now) {
    return now - (this.owner.recorder.fromDueTime ? this.flight.dueAt : this.flight.sentAt)[slot]
  }

  // --- control frames (section 5.5)

  onPing (buffer, start, end) {
    this.owner.recorder.messages.pings++
    this.ping = Buffer.from(buffer.subarray(start, end))
  }

  // Of several the latest is enough (section 5.5.3), and none where the server does not read what it is answered.
  answerPing () {
    const { ping } = this
    this.ping = null
    if (this.socket.writableLength <= MOST_UNREAD_BYTES) this.put(pongFrame(ping))
  }

  onPong () {
    this.owner.recorder.messages.pongs++
  }

  /** The server closes the connection: it is answered with its own code (section 5.5.1). */
  onClose (code, reason) {
    this.owner.recorder.messages.closed(code)
    this.farewell = code
    const said = code === NO_STATUS ? 'no code' : `code ${code}${reason === '' ? '' : `: ${reason}`}`
    this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', `the server closed the connection before it answered (${said})`)
    if (this.isOpen) this.close(true)
  }

  /** What the server has sent is not WebSocket (section 7.1.7). */
  onViolation (code, problem) {
    this.farewell = code
    this.breakOff(CODES.BAD_FRAME, 'parse', `what the server sent is not WebSocket: ${problem} (closed with ${code})`, false)
  }

  // --- ending

  /** When the oldest message in flight was sent, or due, ms; Infinity when there is none. */
  oldest (fromDueTime) {
    const { flight } = this
    if (flight.inFlight === 0) return Infinity
    return (fromDueTime ? flight.dueAt : flight.sentAt)[flight.head]
  }

  /**
   * The oldest message has passed its deadline. Where answers have no ids, a late one could not be told from that to the
   * next message: the connection ends, and those behind it are lost.
   */
  expire () {
    if (this.isConnecting) {
      this.expireOpening()
      return
    }
    const { flight } = this
    if (flight.inFlight > 0) {
      const slot = flight.take()
      if (this.script !== null) this.script.onFailed(slot)
      this.owner.requestTimedOut(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], this)
    }
    if (this.isByIds) {
      if (this.isOpen) this.continue()
      return
    }
    this.loseAll(CODES.LOST_IN_PIPELINE, 'receive', 'an earlier message on the same connection timed out')
    this.close(false)
  }

  failed (code, message, syscall) {
    if (this.isOpen) this.broke()
    super.failed(code, message, syscall)
  }

  // Without a Close frame.
  broke () {
    this.owner.recorder.messages.closed(ABNORMAL)
    this.farewell = null
  }

  /** The connection is of no use any more, for the reason given. */
  breakOff (code, phase, message, byServer) {
    if (this.flight.inFlight === 0) this.owner.connectionBroken(code, phase, message)
    this.loseAll(code, phase, message)
    if (this.isOpen) this.close(byServer)
  }

  // The oldest message takes the blame; each one behind it is a failure of its own.
  loseAll (code, phase, message) {
    const now = world.now()
    const { flight } = this
    while (flight.inFlight > 0) {
      const slot = flight.take()
      this.owner.requestFailed(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], now, code, phase, message, this)
      code = CODES.LOST_IN_PIPELINE
      message = 'an earlier message on the same connection failed'
    }
  }

  /** Calls back for each message in flight: its endpoint, when it came due, when it was sent. */
  eachInFlight (visit) {
    const { flight } = this
    for (const slot of flight.slotsInFlight) visit(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot])
  }

  /** The run is over: what is in flight stays unfinished. */
  abandon (now) {
    const { flight } = this
    while (flight.inFlight > 0) {
      const slot = flight.take()
      this.owner.recorder.unfinishedRequest(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], now)
    }
    this.close(false)
  }

  close (byServer) {
    this.reader.stopped = true
    super.close(byServer)
  }

  /** The last word: a Close frame, and a moment for the server's own (section 7.1.1). */
  letGo (socket) {
    const { farewell, owner } = this
    if (farewell === null || !socket.writable) {
      super.letGo(socket)
      return
    }
    const frame = closeFrame(farewell)
    owner.recorder.bytesWritten += frame.length
    socket.write(frame)
    owner.partings.add(socket)
  }

  /** What was given to `send` and not written goes back to the owner. */
  returnUnwritten () {
    const { flight } = this
    while (flight.prepared > 0) this.owner.unwritten(this, flight.unprepare())
  }

  // --- what the socket tells

  /** The server has sent its FIN. */
  ended () {
    if (this.isConnecting) {
      this.handshake.ended()
      return
    }
    this.now = world.now()
    this.broke()
    if (this.reader.midway) this.breakOff(CODES.TRUNCATED_RESPONSE, 'receive', 'the server closed the connection in the middle of a message', true)
    else this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before it answered')
    if (this.isOpen) this.close(true)
  }
}

module.exports = WebSocketConnection
