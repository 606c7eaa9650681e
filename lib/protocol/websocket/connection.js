'use strict'

const { CODES } = require('../../base/errors')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const world = require('../../world')
const RequestRing = require('../shared/request-ring')
const { Progress, NO_PROGRESS } = require('../shared/progress')
const QueuedConnection = require('../shared/queued-connection')
const { TEXT, NORMAL, NO_STATUS, ABNORMAL } = require('./constants')
const { NO_COMPRESSION } = require('./deflate')
const CloseHandshake = require('./close-handshake')
const FrameReader = require('./frame-reader')
const MessageBook = require('./message-book')
const Opening = require('./opening')
const Outgoing = require('./outgoing')
const Pings = require('./pings')
const { Recognition, UNASKED } = require('./recognition')

const ALPN = ['http/1.1']
// A message has no status; what hooks are told is that of the handshake.
const STATUS = 101

/**
 * One WebSocket connection (RFC 6455) and its life, from top to bottom: open, reached, agreed on, sent, received, answered,
 * closed. A message is a request; what answers it is, by `expect`, a message, a copy of its own, or nothing.
 */
class WebSocketConnection extends QueuedConnection {
  /**
   * @param {object} plan
   * @param {number} index
   * @param {object} target
   * @param {MessageTrain} train
   * @param {object} hooks `match`: from what is in a message to its id, or null
   */
  constructor (plan, index, target, train, { match }) {
    super(plan, index, target, train)
    const { expect, maxMessage } = plan.websocket
    this.expectsNothing = expect === 'nothing'
    this.isBroadcast = expect === 'broadcast'
    this.isByIds = this.hasIds(plan.websocket, match)
    this.flight = this.isByIds ? new MessageBook() : new RequestRing(this.depth)
    this.recognition = new Recognition(this, plan.websocket, match)
    this.outgoing = new Outgoing(this)
    this.pings = new Pings(this)
    this.reader = new FrameReader(this, maxMessage)
    this.now = 0
  }

  // Whether answers are recognised by ids, so that they may come in any order.
  hasIds ({ carriesIds }, match) {
    return carriesIds || match !== null
  }

  beginLife () {
    super.beginLife()
    this.opening = null
    /** Header fields of the server's answer to the handshake, for hooks. */
    this.fields = null
    /** Of the compression of what is sent. */
    this.windowBits = NO_COMPRESSION
    this.isReadySoon = false
    this.closeHandshake = new CloseHandshake()
  }

  open () {
    this.outgoing.reset()
    this.pings.reset()
    super.open()
  }

  /** What is offered by ALPN. */
  get protocols () {
    return ALPN
  }

  get noun () {
    return 'message'
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

  // What came with the answer to the handshake was said before any message of ours, and answers none.
  joined (start, end, now) {
    this.opened(now)
    if (end > start) this.read(start, end, now)
    if (this.isOpen) this.owner.ready(this, now)
    return this.isOpen
  }

  opened (now) {
    super.opened(now)
    if (this.isBroadcast) this.owner.recorder.messages.broadcast.joined(this.index)
  }

  agreed ({ inflater, windowBits, fields }) {
    this.opening = null
    this.fields = fields
    this.windowBits = windowBits
    this.reader.reset(inflater)
    this.closeHandshake.code = NORMAL
  }

  // --- sending

  /** How many more messages may be given to `send` now. */
  get room () {
    if (!this.takesRequests || this.outgoing.isChoked) return 0
    const room = Math.min(this.depth - this.busy - (this.script === null ? 0 : this.script.settling), this.allowance)
    return this.script === null ? room : Math.min(room, this.script.supply - this.flight.prepared)
  }

  // How many more the plan lets it send, whatever is unanswered.
  get allowance () {
    const { prepared } = this.flight
    const { reconnectRate, maxConnectionRequests } = this.owner.plan
    let allowance = Infinity
    if (reconnectRate !== null) allowance = reconnectRate - this.sentHere - prepared
    if (maxConnectionRequests !== null) allowance = Math.min(allowance, maxConnectionRequests - this.sentEver - prepared)
    return allowance
  }

  /** Whether it takes a message now, or will when one of its own has come to its end. */
  get takesTurns () {
    if (this.room > 0) return true
    const isWaiting = this.busy > 0 || (this.script !== null && this.script.isHeld)
    return isWaiting && this.takesRequests && !this.outgoing.isChoked && this.allowance > 0
  }

  /** Whether the server has not read what it was sent for as long as a request may take. */
  get isBarred () {
    return this.outgoing.chokedFor >= this.owner.plan.timeout * 1000
  }

  /** Writes what `send` has taken, in one piece. */
  flush (now) {
    if (this.script !== null) this.script.pump()
    else this.outgoing.flush(now)
  }

  /** Writes a message that was booked. */
  write (message, slot) {
    const id = this.recognition.takeId(message, slot)
    if (this.isByIds) this.recognition.nameSent(message, slot, id)
    this.outgoing.write(message, this.formOf(message).instance(id))
    if (this.expectsNothing) this.handedOver(this.flight.sentAt[slot])
  }

  get isCompressed () {
    return this.windowBits !== NO_COMPRESSION
  }

  /** What goes out of a message here. */
  formOf (message) {
    return this.isCompressed ? message.compressed(this.windowBits) : message
  }

  put (bytes) {
    this.outgoing.put(bytes)
  }

  /** A Ping of ours. */
  sendPing () {
    if (this.isOpen) this.pings.send()
  }

  /** Nothing answers it: it is complete. */
  handedOver (now) {
    // From here on a session thinks.
    this.now = now
    this.failuresInRow = 0
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

  /** It can send again, or is at its end. */
  continue () {
    if (this.isOver) this.close(false)
    else this.owner.ready(this, world.now())
  }

  // --- receiving

  received (length) {
    if (!this.isOpen) return this.receivedEarly(length)
    const now = this.arrivalTime()
    this.owner.recorder.look(now)
    this.owner.recorder.bytesRead += length
    // The server's goodbye is waited for, and has to be seen.
    return this.read(0, length, now) || this.closeHandshake.canBegin
  }

  read (start, end, now) {
    const { owner, reader } = this
    this.now = now
    const wasFull = owner.isOpenModel && this.room <= 0
    const answered = this.answeredHere
    reader.wantsPayload = this.looksAtMessages
    reader.execute(RECEIVE_BUFFER, start, end, now)
    if (!this.isOpen) return false
    this.pings.answer()
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
    return this.flight.inFlight === 0 && (this.isLast || this.isUsedUp)
  }

  // As many as it may carry have been sent, answered or not.
  get isUsedUp () {
    const { reconnectRate } = this.owner.plan
    return reconnectRate !== null && this.sentHere >= reconnectRate
  }

  /** Where answers have ids, nobody knows which message is answered by one that is not whole. */
  get progress () {
    const { flight, reader } = this
    if (this.isByIds || flight.inFlight === 0 || !reader.isInMessage) return NO_PROGRESS
    const firstByteAt = Math.max(reader.firstByteAt, flight.sentAt[flight.head])
    return new Progress(firstByteAt, firstByteAt)
  }

  /** A whole message has come. */
  onMessage (opcode, buffer, start, end, firstByteAt) {
    const { messages } = this.owner.recorder
    messages.received++
    messages.bytesReceived += end - start
    const slot = this.recognition.slotAnswered(opcode, buffer, start, end)
    if (slot >= 0) {
      this.answered(slot, opcode, buffer, start, end, firstByteAt)
    } else {
      if (slot === UNASKED) messages.unasked++
      if (this.script !== null) this.script.onPushed(buffer, start, end, opcode === TEXT)
    }
  }

  answered (slot, opcode, buffer, start, end, firstByteAt) {
    this.failuresInRow = 0
    this.owner.recorder.receivedReply(0, end - start, 0)
    this.completed(slot, firstByteAt, this.now)
    if (this.script !== null) this.script.onReply(slot, buffer, start, end, opcode === TEXT, this.millisecondsOf(slot, this.now))
    else if (this.owner.watchesResponses) this.owner.responded(this, STATUS, end - start, this.millisecondsOf(slot, this.now))
    if (this.isOver) this.reader.stopped = true
  }

  completed (slot, firstByteAt, now) {
    const { flight, owner } = this
    this.answeredHere++
    owner.recorder.completedMessage(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], Math.max(firstByteAt, flight.sentAt[slot]), now)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
  }

  onPing (buffer, start, end) {
    this.pings.came(buffer, start, end)
  }

  onPong () {
    this.owner.recorder.messages.pongs++
  }

  // --- ending

  /** The server closes the connection. */
  onClose (code, reason) {
    this.owner.recorder.messages.closed(code)
    this.closeHandshake.code = code
    const said = code === NO_STATUS ? 'no code' : `code ${code}${reason === '' ? '' : `: ${reason}`}`
    this.loseAll(CODES.CLOSED_BY_SERVER, 'receive', `the server closed the connection before it answered (${said})`)
    if (this.isOpen) this.close(true)
  }

  /** What the server has sent is not WebSocket (section 7.1.7). */
  onViolation (code, problem) {
    this.closeHandshake.code = code
    this.breakOff(CODES.BAD_FRAME, 'parse', `what the server sent is not WebSocket: ${problem} (closed with ${code})`, false)
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
    if (this.flight.inFlight > 0) {
      if (this.script !== null) this.script.onFailed(this.flight.head)
      this.timeOutOldest()
    }
    if (this.isByIds) {
      if (this.isOpen) this.continue()
      return
    }
    this.loseRest()
    this.close(false)
  }

  failed (code, message, syscall) {
    if (this.isOpen) this.broke()
    super.failed(code, message, syscall)
  }

  // Without a Close frame.
  broke () {
    this.owner.recorder.messages.closed(ABNORMAL)
    this.closeHandshake.code = null
  }

  /** The connection is of no use any more, for the reason given. */
  breakOff (code, phase, message, byServer) {
    if (this.flight.inFlight === 0) this.owner.connectionBroken(code, phase, message)
    this.loseAll(code, phase, message)
    if (this.isOpen) this.close(byServer)
  }

  close (byServer) {
    this.reader.stopped = true
    if (this.isBroadcast && this.isOpen) this.owner.recorder.messages.broadcast.left(this.index)
    super.close(byServer)
  }

  letGo (socket) {
    if (!this.closeHandshake.begin(socket, this.owner)) super.letGo(socket)
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
