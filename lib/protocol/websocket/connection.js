'use strict'

const faults = require('../../base/faults')
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
const takeEqualReplies = require('./equal-replies')

const ALPN = ['http/1.1']
// Messages have no status, so hooks get that of the handshake.
const STATUS = 101

/**
 * One WebSocket connection (RFC 6455). The methods follow its life cycle: opening, sending, receiving, ending. A message is a
 * request; its response is, depending on `expect`, a message, its own copy, or nothing.
 */
class WebSocketConnection extends QueuedConnection {
  /**
   * @param {object} plan
   * @param {number} index
   * @param {object} target
   * @param {MessageTrain} train
   * @param {object} hooks `match`: returns the id in a message's content; may be null
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
    /** The serial number of the handshake's trace id. */
    this.serial = 0
    this.reader = new FrameReader(this, maxMessage)
    /** See equal-replies.js. */
    this.mayTakeEqual = !this.isByIds && plan.reconnectRate === null
    this.now = 0
    /** What is reported of each of its messages: see requestIn. */
    this.handshakeLine = null
  }

  // Whether replies are matched by ids, so that they may arrive in any order.
  hasIds ({ carriesIds }, match) {
    return carriesIds || match !== null
  }

  beginLife () {
    super.beginLife()
    this.opening = null
    /** Header fields of the server's handshake response, for hooks. */
    this.fields = null
    /** The window size for compressing our messages. */
    this.windowBits = NO_COMPRESSION
    this.isReadySoon = false
    this.closeHandshake = new CloseHandshake()
  }

  open () {
    this.outgoing.reset()
    this.pings.reset()
    super.open()
  }

  /** The protocols offered in ALPN. */
  get protocols () {
    return ALPN
  }

  get noun () {
    return 'message'
  }

  /** A message has no header fields: its trace is that of the handshake. */
  serialOf () {
    return this.serial
  }

  // --- opening (section 4)

  reached () {
    if (this.traces !== null) this.serial = this.traces.take(1)
    this.opening = new Opening(this.owner.plan, this.target, this.traces === null ? null : this.traces.headerOf(this.serial))
    this.handshakeLine = this.opening.line
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
    if (opening.status !== 0) recorder.messages.countHandshake(opening.status)
    if (opening.problem !== '') {
      this.failedToOpen(faults.webSocketRefused(opening.problem))
      return false
    }
    this.agreed(opening)
    return this.joined(length - opening.behind, length, now)
  }

  // Frames that arrived together with the handshake response were sent before our first message, so they are not replies.
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
    if (!this.takesRequests || this.outgoing.isBlocked) return 0
    const room = this.allowed(this.depth - this.busy - (this.script === null ? 0 : this.script.settling))
    return this.script === null ? room : Math.min(room, this.script.supply - this.flight.prepared)
  }

  /** Messages have no method and no path of their own: what is reported of them is where the handshake went. */
  requestIn () {
    return this.handshakeLine
  }

  /** Whether it has room for a message now, or will have when one in flight completes. */
  get takesTurns () {
    if (this.room > 0) return true
    const isWaiting = this.busy > 0 || (this.script !== null && this.script.isHeld)
    return isWaiting && this.takesRequests && !this.outgoing.isBlocked && this.allowed(1) > 0
  }

  /** Whether the server has not read our data for as long as a request may take. */
  get isBarred () {
    return this.outgoing.blockedForMs >= this.owner.plan.timeout * 1000
  }

  /** Writes the messages that `send` has accepted, in one write. */
  flush () {
    if (this.script !== null) this.script.pump()
    else this.outgoing.flush(world.now())
  }

  /** Writes a message that `book` has recorded, and completes it if it expects no reply. */
  write (message, slot) {
    this.writeOut(message, slot)
    if (this.expectsNothing) this.handedOver(this.flight.sentAt[slot])
  }

  /** Writes it, whatever it expects. */
  writeOut (message, slot) {
    const id = this.recognition.takeId(message, slot)
    if (this.isByIds) this.recognition.nameSent(message, slot, id)
    this.outgoing.write(message, this.formOf(message).instance(id))
  }

  get isCompressed () {
    return this.windowBits !== NO_COMPRESSION
  }

  /** Returns a message in the form in which this connection sends it. */
  formOf (message) {
    return this.isCompressed ? message.compressed(this.windowBits) : message
  }

  put (bytes) {
    this.outgoing.put(bytes)
  }

  sendPing () {
    if (this.isOpen) this.pings.send()
  }

  /** Completes a message that expects no reply. */
  handedOver (now) {
    // A session's think time starts here.
    this.now = now
    this.failuresInRow = 0
    const slot = this.flight.take()
    this.completed(slot, now, now, 0)
    if (this.script !== null) this.script.messages.onHandedOver(slot, this.millisecondsOf(slot, now))
    else if (this.owner.watchesResponses) this.owner.responded(this, STATUS, 0, this.millisecondsOf(slot, now))
    this.becomeReadySoon()
  }

  // Reports that it is ready when this turn of the event loop is over.
  becomeReadySoon () {
    if (this.isReadySoon) return
    this.isReadySoon = true
    const { owner, socket } = this
    owner.readySoon++
    world.setImmediate(() => {
      this.isReadySoon = false
      owner.readySoon--
      if (this.socket === socket && this.isOpen) this.continue()
    })
  }

  /** Reports that it is ready to send again, or closes it after its last message. */
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
    // Keep reading while we may still send a Close frame, so that the server's Close frame is seen.
    return this.read(0, length, now) || this.closeHandshake.canBegin
  }

  read (start, end, now) {
    const { owner, reader } = this
    this.now = now
    const wasFull = owner.isOpenModel && this.room <= 0
    const answered = this.answeredHere
    reader.wantsPayload = this.looksAtMessages
    const rest = takeEqualReplies(this, start, end, now)
    if (rest < end) {
      reader.execute(RECEIVE_BUFFER, rest, end, now)
      if (!this.isOpen) return false
      this.pings.answer()
    }
    if (this.isOver) {
      this.close(false)
      return false
    }
    if (this.answeredHere !== answered) {
      // If hooks still hold the connection, they report when it becomes free.
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

  // Whether nothing is in flight and no more messages may be sent.
  get isOver () {
    return this.flight.inFlight === 0 && (this.isLast || this.isUsedUp)
  }

  /** The progress of the oldest message. If replies have ids, a partial reply cannot be attributed to a message. */
  get progress () {
    const { flight, reader } = this
    if (this.isByIds || flight.inFlight === 0 || !reader.isInMessage) return NO_PROGRESS
    const firstByteAt = Math.max(reader.firstByteAt, flight.sentAt[flight.head])
    return new Progress(firstByteAt, firstByteAt)
  }

  /** Handles a complete message. */
  onMessage (opcode, buffer, start, end, firstByteAt) {
    const { messages } = this.owner.recorder
    messages.received++
    messages.bytesReceived += end - start
    const slot = this.recognition.slotAnswered(opcode, buffer, start, end)
    if (slot >= 0) {
      this.answered(slot, opcode, buffer, start, end, firstByteAt)
    } else {
      if (slot === UNASKED) messages.unasked++
      if (this.script !== null) this.script.messages.onPushed(buffer, start, end, opcode === TEXT)
    }
  }

  answered (slot, opcode, buffer, start, end, firstByteAt) {
    this.failuresInRow = 0
    this.owner.recorder.receivedReply(0, end - start, 0)
    this.completed(slot, firstByteAt, this.now, end - start)
    if (this.script !== null) this.script.messages.onReply(slot, buffer, start, end, opcode === TEXT, this.millisecondsOf(slot, this.now))
    else if (this.owner.watchesResponses) this.owner.responded(this, STATUS, end - start, this.millisecondsOf(slot, this.now))
    if (this.isOver) this.reader.stopped = true
  }

  completed (slot, firstByteAt, now, bytes) {
    const { flight, owner } = this
    this.answeredHere++
    owner.recorder.completedMessages(1, flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], Math.max(firstByteAt, flight.sentAt[slot]), now, bytes, this, slot)
    if (this.answeredHere === owner.plan.reconnectRate) this.isLast = true
  }

  onPing (buffer, start, end) {
    this.pings.came(buffer, start, end)
  }

  onPong () {
    this.owner.recorder.messages.pongs++
  }

  // --- ending

  /** Handles the server's Close frame. */
  onClose (code, reason) {
    this.owner.recorder.messages.closed(code)
    this.closeHandshake.code = code
    const said = code === NO_STATUS ? 'no code' : `code ${code}${reason === '' ? '' : `: ${reason}`}`
    this.loseAll(faults.closedByServer(said))
    if (this.isOpen) this.close(true)
  }

  /** Closes the connection because the server has sent invalid WebSocket data (section 7.1.7). */
  onViolation (code, problem) {
    this.closeHandshake.code = code
    this.breakOff(faults.badFrame('WebSocket', problem, code), false)
  }

  /**
   * Times out the message whose deadline has passed. Without ids, a late reply could not be distinguished from the reply to the next
   * message, so the connection closes, and the other messages are lost.
   */
  expireOldest () {
    const isAwaiting = this.flight.inFlight > 0
    if (this.isByIds) {
      if (isAwaiting) this.timeOutEarliest()
      if (this.isOpen) this.continue()
      return
    }
    if (isAwaiting) this.timeOut()
    this.close(false)
  }

  timeOutEarliest () {
    const slot = this.earliestDeadline
    if (this.script !== null) this.script.onFailed(slot)
    this.wasTooLate(this.flight.remove(slot), NO_PROGRESS)
  }

  /** With ids, each message that has passed its deadline times out by itself. */
  loseAll (fault, isLate, ...rest) {
    if (this.isByIds && !isLate) this.timeOutLate(world.now())
    super.loseAll(fault, isLate, ...rest)
  }

  timeOutLate (now) {
    while (this.hasPassedDeadline(now)) this.timeOutEarliest()
  }

  failed (code, message, syscall) {
    if (this.isOpen) this.broke()
    super.failed(code, message, syscall)
  }

  // Records that the connection broke without a Close frame.
  broke () {
    this.owner.recorder.messages.closed(ABNORMAL)
    this.closeHandshake.code = null
  }

  /** Closes a connection that has failed for the given reason. */
  breakOff (fault, byServer) {
    if (this.flight.inFlight === 0) this.owner.connectionBroken(fault)
    this.loseAll(fault)
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

  // --- socket events

  endedByServer (now) {
    this.now = now
    this.broke()
    if (this.reader.midway) this.breakOff(faults.truncated('message'), true)
    else this.loseAll(faults.closedByServer())
    if (this.isOpen) this.close(true)
  }
}

module.exports = WebSocketConnection
