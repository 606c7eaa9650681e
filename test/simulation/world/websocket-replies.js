'use strict'

const { isUtf8 } = require('node:buffer')
const { readPacket } = require('./socketio')
const { NO_STATUS } = require('./websocket')

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10]
// Packets of Socket.IO that say something about the connection.
const [CONNECT, DISCONNECT, CONNECT_ERROR] = ['0', '1', '4']
const CONTROLS = new Set([CONNECT, DISCONNECT, CONNECT_ERROR])
const END_OF_HEAD = '\r\n\r\n'
const SWITCHING_PROTOCOLS = 101

/**
 * What a client has read of a WebSocket connection, frame by frame, as RFC 6455 has it: a reader of its own, that takes its
 * time and keeps all that has come. What is read is told to the socket (`heard`): `{ what, … }`, where `what` is
 *
 * - `'handshake'`: `status`, `informational` (how many interim answers came before it)
 * - `'message'`: `type`, `text`, `firstByteAt`, `readAt` (us)
 * - `'ping'`, `'pong'`, `'close'` with its `code`
 * - `'nonsense'`: nobody reads on behind it
 *
 * With Socket.IO its packets are read as well: a message is an event or an acknowledgement, the connection can be used when
 * the namespace has been agreed to, and `'left'` is the server's word that it is not any more.
 */
class WebSocketReplies {
  /**
   * @param {Socket} socket
   * @param {number} mostBytes of a message
   * @param {?string} socketio the namespace in which Socket.IO is spoken
   */
  constructor (socket, mostBytes, socketio) {
    this.socketio = socketio
    this.hasOpened = false
    this.hasJoined = false
    this.socket = socket
    this.mostBytes = mostBytes
    /** Whether the server has said the right thing to the handshake. */
    this.isAccepted = false
    this.rest = Buffer.alloc(0)
    this.hasHead = false
    this.informational = 0
    this.isOver = false
    /** How many pieces have been read. */
    this.chunks = 0
    /** When the first byte of what stands at the beginning of `rest` came, us; of a message in fragments, that of its first. */
    this.begunAt = null
    this.message = null
  }

  /** The client has read so many bytes more: they stand at the beginning of a buffer. */
  read (length, now, buffer, from = 0) {
    this.chunks++
    if (this.isOver) return
    if (this.rest.length === 0) this.begunAt = now
    this.rest = Buffer.concat([this.rest, buffer.subarray(from, from + length)])
    if (!this.hasHead && !this.readHead(now)) return
    while (!this.isOver && this.readFrame(now)) this.begunAt = now
    // Whoever is sent away in the same breath has not been let in, nor has who has gone meanwhile.
    if (this.hasJoined && !this.isOver && this.socket.usableAt === null && this.socket.closedAt === null) this.socket.becameUsable()
  }

  tell (what, more) {
    this.socket.hear({ what, chunk: this.chunks, ...more })
    if (what === 'close' || what === 'nonsense' || what === 'left') this.isOver = true
    return true
  }

  readHead (now) {
    for (;;) {
      const text = this.rest.toString('latin1')
      const end = text.indexOf(END_OF_HEAD)
      if (end === -1) return false
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0)
      this.rest = this.rest.subarray(end + END_OF_HEAD.length)
      if (status >= 200 || status === SWITCHING_PROTOCOLS || status === 0) return this.handshaken(status, now)
      this.informational++
    }
  }

  handshaken (status, now) {
    this.hasHead = true
    this.begunAt = now
    if (status !== 0) this.tell('handshake', { status, informational: this.informational })
    this.isOver = !this.isAccepted || status !== SWITCHING_PROTOCOLS
    if (!this.isOver && this.socketio === null) this.socket.becameUsable()
    return true
  }

  // @returns whether there was a whole one
  readFrame (now) {
    const { rest } = this
    if (rest.length < 2) return false
    const [first, second] = rest
    const opcode = first & 15
    if (this.isWrong(first, second)) return this.tell('nonsense')
    const head = second < 126 ? 2 : second === 126 ? 4 : 10
    if (rest.length < head) return false
    const length = head === 2 ? second : head === 4 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
    if (opcode < CLOSE && (this.message?.announced ?? 0) + length > this.mostBytes) return this.tell('nonsense')
    if (rest.length < head + length) return false
    const payload = Buffer.from(rest.subarray(head, head + length))
    this.rest = rest.subarray(head + length)
    if (opcode >= CLOSE) return this.control(opcode, payload)
    this.message ??= { type: opcode === TEXT ? 'TEXT' : 'BINARY', announced: 0, pieces: [], firstByteAt: this.begunAt }
    this.message.announced += length
    this.message.pieces.push(payload)
    return first & 0x80 ? this.endMessage(now) : true
  }

  // Sections 5.2, 5.4 and 5.5.
  isWrong (first, second) {
    const opcode = first & 15
    const isFinal = first >= 0x80
    if ((first & 0x70) !== 0 || second >= 0x80) return true
    if (opcode >= CLOSE) return opcode > PONG || !isFinal || second > 125 || (opcode === CLOSE && second === 1)
    return opcode > BINARY || (opcode === CONTINUATION) !== (this.message !== null)
  }

  control (opcode, payload) {
    if (opcode !== CLOSE) return this.tell(opcode === PING ? 'ping' : 'pong')
    const code = payload.length === 0 ? NO_STATUS : payload.readUInt16BE()
    const isCode = code >= 1000 && code <= 4999 && ![1004, 1006].includes(code) && !(code > 1014 && code < 3000) && (code !== NO_STATUS || payload.length === 0)
    return isCode && isUtf8(payload.subarray(2)) ? this.tell('close', { code }) : this.tell('nonsense')
  }

  endMessage (now) {
    const { type, pieces, firstByteAt } = this.message
    const payload = Buffer.concat(pieces)
    this.message = null
    if (type === 'TEXT' && !isUtf8(payload)) return this.tell('nonsense')
    const message = { type, text: payload.toString(), length: payload.length, firstByteAt, readAt: now }
    return this.socketio === null ? this.tell('message', message) : this.packet(message)
  }

  packet (message) {
    const { type, text } = message
    if (type === 'BINARY') return this.tell('nonsense')
    // Those of Engine.IO: OPEN, CLOSE, PING, PONG, NOOP.
    if (text[0] === '0' && !this.hasOpened) this.hasOpened = true
    else if (text[0] === '1') return this.tell('left')
    else if (text[0] === '4') return this.packetOf(message)
    else if (!['2', '3', '6'].includes(text[0])) return this.tell('nonsense')
    return true
  }

  packetOf (message) {
    const { type, namespace, id, payload } = readPacket(message.text) ?? {}
    // Those of an event begin with its name, a text or a number.
    const hasArguments = (type === '2' ? /^\[\s*["\d-].*\]$/s : /^\[.*\]$/s).test(payload)
    if ((type === '2' || (type === '3' && id !== '')) && hasArguments) return this.tell('message', message)
    if (!CONTROLS.has(type)) return this.tell('nonsense')
    return namespace === this.socketio ? this.controlled(type) : true
  }

  controlled (type) {
    if (type === DISCONNECT) return this.tell('left')
    if (!this.hasOpened || this.hasJoined) return this.tell('nonsense')
    if (type === CONNECT_ERROR) return this.tell('left')
    this.hasJoined = true
    return true
  }
}

module.exports = WebSocketReplies
