'use strict'

const { isUtf8 } = require('node:buffer')
const { readPacket } = require('./socketio')
const { NO_STATUS } = require('./websocket')

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10]
// Socket.IO packets about the connection itself.
const [CONNECT, DISCONNECT, CONNECT_ERROR] = ['0', '1', '4']
const CONTROLS = new Set([CONNECT, DISCONNECT, CONNECT_ERROR])
const RSV1 = 0x40
const END_OF_HEAD = '\r\n\r\n'
const SWITCHING_PROTOCOLS = 101

/**
 * Parses what a client has read from a WebSocket connection, frame by frame, according to RFC 6455. It is an independent reader, which is
 * slow and keeps everything. It reports to the socket (`heard`): `{ what, … }`, where `what` is
 *
 * - `'handshake'`: `status`, `informational` (the number of interim responses before it)
 * - `'message'`: `type`, `text`, `firstByteAt`, `readAt` (us)
 * - `'ping'`, `'pong'`, `'close'` with its `code`
 * - `'nonsense'`: an invalid frame, after which nothing is read
 *
 * With Socket.IO, it parses the packets, too: a message is an event or an acknowledgement, the connection is usable when the client has
 * joined the namespace, and `'left'` means that the server removed it from there.
 */
class WebSocketReplies {
  /**
   * @param {Socket} socket
   * @param {number} mostBytes maximum size of a message
   * @param {?string} socketio the namespace, with Socket.IO
   */
  constructor (socket, mostBytes, socketio) {
    this.socketio = socketio
    this.hasOpened = false
    this.hasJoined = false
    this.socket = socket
    this.mostBytes = mostBytes
    /** Whether the server's handshake response was valid. */
    this.isAccepted = false
    this.rest = Buffer.alloc(0)
    this.hasHead = false
    this.informational = 0
    this.isOver = false
    /** Number of chunks that were read. */
    this.chunks = 0
    /** When the first byte of the frame in `rest` was read, us; for a fragmented message, that of its first fragment. */
    this.begunAt = null
    this.message = null
    this.deflation = null
  }

  /** The client has read further bytes, which are at the beginning of a buffer. */
  read (length, now, buffer, from = 0) {
    this.chunks++
    if (this.isOver) return
    if (this.rest.length === 0) this.begunAt = now
    this.rest = Buffer.concat([this.rest, buffer.subarray(from, from + length)])
    if (!this.hasHead && !this.readHead(now)) return
    while (!this.isOver && this.readFrame(now)) this.begunAt = now
    // The client hasn't joined if the same chunk also removes it, or if it has left meanwhile.
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

  // @returns whether there was a complete frame
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
    this.message ??= { type: opcode === TEXT ? 'TEXT' : 'BINARY', isDeflated: (first & RSV1) !== 0, announced: 0, pieces: [], firstByteAt: this.begunAt }
    this.message.announced += length
    this.message.pieces.push(payload)
    return first & 0x80 ? this.endMessage(now) : true
  }

  // Sections 5.2, 5.4 and 5.5.
  isWrong (first, second) {
    const opcode = first & 15
    const isFinal = first >= 0x80
    // RFC 7692, section 6.
    const reserved = this.deflation !== null && (opcode === TEXT || opcode === BINARY) ? first & 0x30 : first & 0x70
    if (reserved !== 0 || second >= 0x80) return true
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
    const { type, isDeflated, pieces, firstByteAt } = this.message
    const payload = isDeflated ? this.deflation.decompress(Buffer.concat(pieces)) : Buffer.concat(pieces)
    this.message = null
    if (payload.length > this.mostBytes) return this.tell('nonsense')
    if (type === 'TEXT' && !isUtf8(payload)) return this.tell('nonsense')
    const message = { type, text: payload.toString(), length: payload.length, firstByteAt, readAt: now }
    return this.socketio === null ? this.tell('message', message) : this.packet(message)
  }

  packet (message) {
    const { type, text } = message
    if (type === 'BINARY') return this.tell('nonsense')
    // Engine.IO packets: OPEN, CLOSE, PING, PONG, NOOP.
    if (text[0] === '0' && !this.hasOpened) this.hasOpened = true
    else if (text[0] === '1') return this.tell('left')
    else if (text[0] === '4') return this.packetOf(message)
    else if (!['2', '3', '6'].includes(text[0])) return this.tell('nonsense')
    return true
  }

  packetOf (message) {
    const { type, namespace, id, payload } = readPacket(message.text) ?? {}
    // The arguments of an event begin with its name, a string or a number.
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
