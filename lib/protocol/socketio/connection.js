'use strict'

const faults = require('../../base/faults')
const { RECEIVE_BUFFER } = require('../../transport/connect')
const world = require('../../world')
const { ID_TAG } = require('../shared/ids')
const { NO_PROGRESS } = require('../shared/progress')
const WebSocketConnection = require('../websocket/connection')
const { TEXT, NORMAL, PROTOCOL_ERROR, TOO_BIG } = require('../websocket/constants')
const { encodeFrame } = require('../websocket/frames')
const MessageBook = require('../websocket/message-book')
const { UNASKED } = require('../websocket/recognition')
const { usualEvent, FIRST_ACK, LAST_ACK } = require('./event-message')
const { Packet, ENGINE, CONNECT, DISCONNECT, CONNECT_ERROR } = require('./packet')

// Messages have no status, so hooks get that of the handshake.
const STATUS = 101
const PONG = encodeFrame(TEXT, Buffer.from('3'))
const NOTHING = Buffer.alloc(0)

/**
 * One connection of Socket.IO 4 (Engine.IO 4) over WebSocket, with one namespace. After the WebSocket handshake it waits for the
 * server's OPEN packet, connects to the namespace, and is open when the server confirms that. A message is an event; the reply to
 * it is its acknowledgement, or an event with the same name.
 */
class SocketIoConnection extends WebSocketConnection {
  constructor (plan, index, target, train, hooks) {
    super(plan, index, target, train, hooks)
    // Each message is a packet that has to be read: few are replies.
    this.mayTakeEqual = false
    const { socketio } = plan.websocket
    this.socketio = socketio
    this.usual = usualEvent(socketio)
    this.acknowledges = socketio.acknowledges
    this.packet = new Packet(socketio.namespace)
  }

  hasIds (websocket, match) {
    return websocket.socketio.acknowledges || super.hasIds(websocket, match)
  }

  beginLife () {
    super.beginLife()
    /** Whether the WebSocket handshake is complete and that of Socket.IO is not. */
    this.isJoining = false
    /** Whether the server has sent OPEN, and confirmed the namespace. */
    this.hasOpened = false
    this.hasJoined = false
    /** Whether some attachments of a packet have not arrived yet. */
    this.isGathering = false
    this.wasPinged = false
    this.lastAck = LAST_ACK
  }

  // --- opening

  joined (start, end, now) {
    this.isJoining = true
    return end > start ? this.join(start, end, now) : true
  }

  receivedOpening (length) {
    if (!this.isJoining) return super.receivedOpening(length)
    this.owner.recorder.bytesRead += length
    return this.join(0, length, world.now()) || this.closeHandshake.canBegin
  }

  join (start, end, now) {
    this.now = now
    this.reader.wantsPayload = true
    this.reader.execute(RECEIVE_BUFFER, start, end, now)
    if (!this.isConnecting) return false
    this.pings.answer()
    this.answerPings()
    if (this.hasJoined) {
      this.isJoining = false
      this.connected(now)
    }
    return this.isInUse
  }

  /** Handles the server's first packet: the transport is open, so connect to the namespace. */
  openedTransport (buffer, start, end) {
    if (this.hasOpened) return this.violated('a second OPEN of Engine.IO')
    if (!isOpenPacket(buffer.toString('utf8', start + 1, end))) return this.violated('an OPEN of Engine.IO without a sid')
    this.hasOpened = true
    const { namespace, auth } = this.socketio
    const said = auth === null ? '' : this.owner.plan.idReplacement ? auth.replaceAll(ID_TAG, world.nextId()) : auth
    this.putText(`40${namespace === '/' ? '' : `${namespace},`}${said}`)
  }

  putText (text) {
    this.put(encodeFrame(TEXT, Buffer.from(text)))
  }

  refusedNamespace (packet) {
    this.failedToOpen(faults.namespaceRefused(this.socketio.namespace, reasonOf(packet)))
  }

  // --- sending

  writeOut (message, slot) {
    if (!this.acknowledges) {
      super.writeOut(message, slot)
      return
    }
    const ack = this.lastAck === LAST_ACK ? FIRST_ACK : this.lastAck + 1
    this.lastAck = ack
    this.flight.name(slot, ack)
    const id = this.recognition.takeId(message, slot)
    this.outgoing.write(message, this.formOf(message).instance(id, String(ack)))
  }

  // --- receiving

  get looksAtMessages () {
    return true
  }

  read (start, end, now) {
    const goesOn = super.read(start, end, now)
    if (this.isOpen) this.answerPings()
    return goesOn
  }

  // One reply is enough for several PINGs that arrive together.
  answerPings () {
    if (!this.wasPinged) return
    this.wasPinged = false
    if (this.outgoing.isRead) this.put(PONG)
  }

  /** Unknown: an incomplete packet may be of any kind. */
  get progress () {
    return NO_PROGRESS
  }

  /** Handles a WebSocket message: an Engine.IO packet or an attachment. */
  onMessage (opcode, buffer, start, end, firstByteAt) {
    if (this.isGathering) this.gather(opcode, buffer, start, end)
    else if (opcode !== TEXT) this.violated('an attachment that belongs to no packet')
    else this.onEnginePacket(buffer, start, end, firstByteAt)
  }

  onEnginePacket (buffer, start, end, firstByteAt) {
    const type = start < end ? buffer[start] : 0
    if (type === ENGINE.MESSAGE) this.onPacket(buffer, start, end, firstByteAt)
    else if (type === ENGINE.PING) this.wasPinged = true
    else if (type === ENGINE.OPEN) this.openedTransport(buffer, start, end)
    else if (type === ENGINE.CLOSE) this.disconnected('it closed the transport')
    else if (type !== ENGINE.NOOP && type !== ENGINE.PONG) this.violated('a packet that is not Engine.IO 4')
  }

  onPacket (buffer, start, end, firstByteAt) {
    const { packet } = this
    const problem = packet.read(buffer, start, end, firstByteAt)
    if (problem !== '') this.violated(problem)
    else if (packet.isEvent || packet.isAck) this.begin(packet)
    else if (packet.isOurs) this.onControl(packet)
  }

  onControl (packet) {
    const { type } = packet
    if (type === DISCONNECT) this.disconnected(`it ended the connection to the namespace ${this.socketio.namespace}`)
    else if (this.hasJoined || !this.hasOpened) this.violated('a reply to a CONNECT that was not sent')
    else if (type === CONNECT) this.hasJoined = true
    else if (type === CONNECT_ERROR) this.refusedNamespace(packet)
  }

  begin (packet) {
    if (packet.isWhole) {
      this.take(packet)
      return
    }
    packet.keep()
    this.isGathering = true
  }

  gather (opcode, buffer, start, end) {
    const { packet, owner } = this
    if (opcode === TEXT) return this.violated('a text packet instead of an attachment')
    if (packet.length + end - start > owner.plan.websocket.maxMessage) return this.violated(`a packet of more than ${owner.plan.websocket.maxMessage} octets`, TOO_BIG)
    packet.attach(this.isSeen ? Buffer.from(buffer.subarray(start, end)) : null, end - start)
    if (!packet.isWhole) return
    this.isGathering = false
    this.take(packet)
  }

  // Whether the content of packets is needed.
  get isSeen () {
    return this.script !== null || this.recognition.carriesIds || this.recognition.match !== null
  }

  /** Handles a complete event or acknowledgement. */
  take (packet) {
    let content = null
    try {
      if (this.script !== null || this.recognition.match !== null) content = packet.content(this.usual)
    } catch (error) {
      // Invalid content means that the server does not speak Socket.IO.
      this.violated(error.message)
      return
    }
    const { messages } = this.owner.recorder
    messages.received++
    messages.bytesReceived += packet.length
    const slot = packet.isOurs ? this.slotOf(packet, content) : UNASKED
    if (slot >= 0) {
      this.answeredBy(slot, packet, content)
    } else {
      if (slot === UNASKED) messages.unasked++
      if (this.script !== null) this.push(Buffer.from(content.text), content.event)
    }
  }

  push (bytes, event) {
    this.script.messages.onPushed(bytes, 0, bytes.length, true, event)
  }

  slotOf (packet, content) {
    const { flight } = this
    if (packet.isAck) {
      const slot = this.acknowledges ? flight.find(packet.id) : MessageBook.NONE
      return slot === MessageBook.NONE ? UNASKED : flight.remove(slot)
    }
    if (this.acknowledges || !packet.beginsWith(this.usual.beginning)) return UNASKED
    if (!this.isByIds) return this.recognition.slotAnswered(TEXT, NOTHING, 0, 0)
    const seen = this.recognition.carriesIds ? packet.bytes : Buffer.from(content.text)
    return this.recognition.slotAnswered(TEXT, seen, 0, seen.length)
  }

  answeredBy (slot, { firstByteAt, length }, content) {
    const { owner, script } = this
    this.failuresInRow = 0
    owner.recorder.receivedReply(0, length, 0)
    this.completed(slot, firstByteAt, this.now, length)
    const milliseconds = this.millisecondsOf(slot, this.now)
    if (script !== null) this.reportReply(slot, Buffer.from(content.text), milliseconds, content.event)
    else if (owner.watchesResponses) owner.responded(this, STATUS, length, milliseconds)
    if (this.isOver) this.reader.stopped = true
  }

  reportReply (slot, bytes, milliseconds, event) {
    this.script.messages.onReply(slot, bytes, 0, bytes.length, true, milliseconds, event)
  }

  // --- ending

  /** Handles a disconnect by the server. */
  disconnected (why) {
    if (this.isConnecting) {
      this.failedToOpen(faults.disconnectedEarly(why))
      return
    }
    this.hasJoined = false
    this.loseAll(faults.closedByServer(why))
    if (this.isOpen) this.close(true)
  }

  onClose (code, reason) {
    super.onClose(code, reason)
    if (this.isConnecting) this.failedToOpen(faults.closedBeforeAccepted(code))
  }

  /** Closes the connection, since the server has sent something that is not Socket.IO. */
  violated (problem, code = PROTOCOL_ERROR) {
    this.closeHandshake.code = code
    this.reader.stopped = true
    this.breakOff(faults.badFrame('Socket.IO', problem, code), false)
  }

  breakOff (fault, byServer) {
    if (this.isConnecting) this.failedToOpen({ ...fault, phase: 'connect' })
    else super.breakOff(fault, byServer)
  }

  /** Disconnects from the namespace before the connection is closed. */
  letGo (socket) {
    if (this.hasJoined && this.closeHandshake.code === NORMAL && socket.writable) {
      const { namespace } = this.socketio
      const frame = encodeFrame(TEXT, Buffer.from(`41${namespace === '/' ? '' : `${namespace},`}`))
      this.owner.recorder.bytesWritten += frame.length
      socket.write(frame)
    }
    super.letGo(socket)
  }
}

// Whether the JSON of an OPEN packet contains a session id.
function isOpenPacket (text) {
  try {
    return typeof JSON.parse(text).sid === 'string'
  } catch {
    return false
  }
}

// The reason in a CONNECT_ERROR packet.
function reasonOf (packet) {
  try {
    const said = packet.parse()
    return typeof said === 'string' ? said : String(said.message)
  } catch {
    return 'it gave no reason'
  }
}

module.exports = SocketIoConnection
