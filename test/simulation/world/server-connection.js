'use strict'

const Deflation = require('./deflation')
const { OPEN, agreementTo, isConnect } = require('./socketio')
const { NO_MESSAGES, acceptance, closing, serverFrame } = require('./websocket')
const WebSocketReplies = require('./websocket-replies')

// What browsers offer.
const OFFER = /\r\nsec-websocket-extensions: permessage-deflate; client_max_window_bits\r\n/i
const REASONS = { 200: 'OK', 302: 'Found', 404: 'Not Found', 500: 'Internal Server Error', 503: 'Service Unavailable' }

/** The server's end of a connection. Responses are sent in the order of their requests. */
class ServerConnection {
  constructor (server, socket, number) {
    this.server = server
    this.socket = socket
    this.number = number
    this.scheduler = server.scheduler
    this.isOpen = true
    this.stalledUntil = 0
    this.received = 0
    this.sent = 0
    /** Requests not answered yet, oldest first. */
    this.pending = []
    this.replies = server.websocket === null ? new Replies() : new WebSocketReplies(socket, server.mostBytes, server.socketio)
    this.isBusyWithBody = false
    /** With WebSocket: whether the handshake was accepted; and the code with which the client has closed the connection. */
    this.isUpgraded = false
    this.deflation = null
    this.closeCode = null
    this.hasSaidGoodbye = false
    this.isSilent = false
  }

  receive (request) {
    const { server } = this
    // The client can't know that its request arrived too late.
    if (!this.isOpen) return
    const { entry } = request
    entry.arrived(this, server.requests++, this.received++)
    if (server.websocket !== null) {
      this.receiveFrame(request)
      return
    }
    this.pending.push(entry)
    server.arrived(entry)
  }

  receiveFrame ({ entry, head }) {
    const { server } = this
    if (entry.method === 'GET') {
      this.handshake = server.handshakes++
      this.agree(head, this.answerOf(server.opening))
    } else if (entry.method === 'PACKET') {
      if (isConnect(entry.path)) this.join(entry.path, this.answerOf(server.joining))
    } else if (entry.method === 'CLOSE') {
      this.closeCode = Number(entry.path)
      if (!server.closes) return
      if (!this.hasSaidGoodbye) this.sayGoodbye(this.closeCode)
      this.end()
    } else if (entry.method === 'PING') {
      this.transmit(serverFrame('PONG', entry.path))
    } else if (NO_MESSAGES.has(entry.method)) {
      this.reset()
    } else if (entry.method !== 'PONG') {
      server.arrived(entry)
    }
  }

  answerOf (setting) {
    return typeof setting === 'function' ? setting(this.handshake) : setting
  }

  agree (head, answer) {
    if (answer === 'silence') return
    if (answer === 'end' || answer === 'reset') {
      this[answer]()
      return
    }
    const { status = 101, without = '', before = '', behind = [], after = 0, extensions = null } = answer === 'accept' ? {} : answer
    const say = () => {
      if (!this.isOpen) return
      const isAccepted = status === 101 && without === '' && extensions === null
      const { socketio } = this.server
      // With Socket.IO, it takes part once it has joined the namespace.
      this.isUpgraded = isAccepted && socketio === null
      this.replies.isAccepted = isAccepted
      const said = this.isUpgraded ? this.server.said : isAccepted ? [OPEN] : []
      const deflation = isAccepted && this.server.deflate !== null && OFFER.test(head) ? new Deflation(this.server.deflate) : null
      const frames = [...said, ...behind].map((frame) => deflation === null ? frame : deflation.compress(frame))
      this.transmit(Buffer.concat([Buffer.from(before + acceptance(head, status, without, extensions ?? deflation?.agreement), 'latin1'), ...frames]))
      for (const reader of [this, this.replies, this.socket.requests]) reader.deflation = deflation
    }
    if (after === 0) say()
    else this.scheduler.add(this.scheduler.time + Math.round(after * 1000), say)
  }

  // Socket.IO: the client asks to join a namespace.
  join (text, answer) {
    if (answer === 'silence') return
    if (answer === 'end' || answer === 'reset') {
      this[answer]()
      return
    }
    const { after = 0, refusal, behind = [] } = answer === 'accept' ? {} : answer
    const say = () => {
      if (!this.isOpen) return
      this.isUpgraded = refusal === undefined
      this.transmit(Buffer.concat([agreementTo(text, refusal), ...(this.isUpgraded ? this.server.said : []), ...behind]))
    }
    if (after === 0) say()
    else this.scheduler.add(this.scheduler.time + Math.round(after * 1000), say)
  }

  // Sends something instead of an echo.
  sayInstead ({ frame, then = null }) {
    this.transmit(frame)
    if (then === 'silence') this.isSilent = true
    else if (then !== null) this[then]()
  }

  /** Sends a Close frame. */
  sayGoodbye (code) {
    this.hasSaidGoodbye = true
    this.transmit(closing(code))
  }

  answered () {
    while (this.isOpen && !this.isBusyWithBody && this.pending.length > 0 && this.pending[0].answer !== null) this.say(this.pending.shift())
  }

  say (entry) {
    const { answer } = entry
    if (answer === 'silence') {
      // Nothing can be sent after it either.
      this.isBusyWithBody = true
      return
    }
    if (answer === 'reset' || answer === 'end') {
      this[answer]()
      return
    }
    const { keepAlive } = this.server
    const isLast = keepAlive !== null && this.sent + 1 >= keepAlive
    const reply = answer.pieces ? composeStream(answer, isLast) : compose(typeof answer === 'number' ? { status: answer } : answer, entry, isLast)
    this.sent++
    entry.answeredAt = this.scheduler.time
    this.replies.add(entry, reply)
    this.transmit(reply.head)
    if (reply.pieces !== undefined) {
      this.sayPieces(reply)
      return
    }
    if (reply.body.length === 0) this.said(reply)
    else if (!(reply.bodyAfterUs > 0)) this.sayBody(reply)
    else {
      this.isBusyWithBody = true
      this.scheduler.add(this.scheduler.time + reply.bodyAfterUs, () => {
        this.isBusyWithBody = false
        this.sayBody(reply)
        this.answered()
      })
    }
  }

  sayBody (reply) {
    if (!this.isOpen) return
    this.transmit(reply.body)
    this.said(reply)
  }

  // Nothing else can be sent until the body is complete.
  sayPieces (reply) {
    const begunAt = this.scheduler.time
    this.isBusyWithBody = true
    for (const { afterUs, bytes } of reply.pieces) this.scheduler.add(begunAt + afterUs, () => this.transmit(bytes))
    this.scheduler.add(begunAt + reply.endAfterUs, () => {
      this.isBusyWithBody = false
      if (!this.isOpen) return
      this.said(reply)
      this.answered()
    })
  }

  said ({ then }) {
    if (then !== null) this[then]()
  }

  transmit (content) {
    if (!this.isOpen || content.length === 0) return
    const bytes = this.deflation === null ? content : this.deflation.compress(content)
    this.socket.back.send(this.scheduler.time, bytes.length, (start, end) => this.socket.deliver(end - start === bytes.length ? bytes : bytes.subarray(start, end)))
  }

  /** Sends FIN; nothing is sent or received any more. */
  end () {
    if (!this.isOpen) return
    this.isOpen = false
    this.socket.back.carry(this.scheduler.time, () => this.socket.deliverEnd())
  }

  /** Sends RST. */
  reset () {
    if (!this.isOpen) return
    this.isOpen = false
    this.socket.back.carry(this.scheduler.time, () => this.socket.deliverReset())
  }

  /** The client has ended it. */
  ended () {
    this.isOpen = false
    this.endedAt = this.scheduler.time
  }
}

/**
 * Records where each response, and each server-sent event, begins and ends in the bytes of a connection, so that the world knows when
 * the client has read it.
 */
class Replies {
  constructor () {
    this.read_ = 0
    this.written = 0
    this.expected = []
  }

  add (entry, { head, body, isWhole, eventEnds = [] }) {
    const start = this.written
    this.written += head.length + body.length
    this.expected.push({ entry, start, end: isWhole ? this.written : Infinity, eventEnds: eventEnds.map((end) => start + end) })
    if (eventEnds.length > 0) entry.eventsAt = []
  }

  /** The client has read further bytes. */
  read (length, now) {
    this.read_ += length
    while (this.expected.length > 0) {
      const [{ entry, start, end, eventEnds }] = this.expected
      if (this.read_ > start) entry.firstByteAt ??= now
      while (eventEnds.length > 0 && eventEnds[0] <= this.read_) {
        eventEnds.shift()
        entry.eventsAt.push(now)
      }
      if (this.read_ < end) return
      entry.receivedAt = now
      this.expected.shift()
    }
  }
}

const composed = new Map()
const NO_HEADERS = {}

// The bytes of a response. Plain ones are created once.
function compose (answer, { method }, isLast) {
  const { status = 200, headers = NO_HEADERS, body = 'ok', bytes = null, bodyAfter = 0, cutAt = Infinity } = answer
  const then = answer.then ?? (isLast ? 'end' : null)
  if (bytes !== null) return { head: Buffer.from(bytes, 'latin1'), body: Buffer.alloc(0), bodyAfterUs: 0, isWhole: false, then }
  const key = `${method === 'HEAD'} ${status} ${headers === NO_HEADERS ? '{}' : JSON.stringify(headers)} ${isLast} ${body.toString('latin1')}`
  let plain = composed.get(key)
  if (plain === undefined) {
    const hasNoBody = method === 'HEAD' || status === 204 || status === 304
    const content = Buffer.from(body)
    const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? 'Unknown'}`]
    if (status !== 204 && status !== 304) lines.push(`Content-Length: ${content.length}`)
    if (isLast) lines.push('Connection: close')
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    plain = { head: Buffer.from(lines.join('\r\n') + '\r\n\r\n', 'latin1'), body: hasNoBody ? Buffer.alloc(0) : content }
    if (composed.size < 1000) composed.set(key, plain)
  }
  if (cutAt === Infinity) return { head: plain.head, body: plain.body, bodyAfterUs: Math.round(bodyAfter * 1000), isWhole: true, then }
  const isWhole = cutAt >= plain.head.length + plain.body.length
  const head = plain.head.subarray(0, cutAt)
  const rest = plain.body.subarray(0, Math.max(0, cutAt - plain.head.length))
  return { head, body: rest, bodyAfterUs: Math.round(bodyAfter * 1000), isWhole, then }
}

const asChunk = (content) => Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')])

// A body in pieces. If each piece consists of complete server-sent events, it records where they end.
function composeStream ({ status = 200, headers = {}, pieces, framing = 'chunked', then = null, endAfter = pieces.at(-1)[0] }, isLast) {
  const isChunked = framing === 'chunked'
  const contents = pieces.map(([after, text]) => ({ afterUs: Math.round(after * 1000), content: Buffer.from(text) }))
  const length = contents.reduce((sum, { content }) => sum + content.length, 0)
  const framed = { chunked: 'Transfer-Encoding: chunked', length: `Content-Length: ${length}`, close: 'Connection: close' }[framing]
  const closes = isLast && framing !== 'close' ? ['Connection: close'] : []
  const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? 'Unknown'}`, framed, ...closes, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  const endAfterUs = Math.round(endAfter * 1000)
  const all = contents.map(({ afterUs, content }) => ({ afterUs, bytes: isChunked ? asChunk(content) : content }))
  const head = Buffer.from(lines.join('\r\n') + '\r\n\r\n', 'latin1')
  const eventEnds = endsOfPieces(contents, all, head.length, isChunked)
  if (isChunked) all.push({ afterUs: endAfterUs, bytes: Buffer.from('0\r\n\r\n') })
  return {
    head,
    pieces: all,
    eventEnds,
    body: Buffer.concat(all.map(({ bytes }) => bytes)),
    isWhole: true,
    then: framing === 'close' || isLast ? 'end' : then,
    endAfterUs
  }
}

function endsOfPieces (contents, all, headLength, isChunked) {
  let before = headLength
  return contents.flatMap(({ content }, index) => {
    const { bytes } = all[index]
    const from = before + (isChunked ? bytes.indexOf('\r\n') + 2 : 0)
    before += bytes.length
    return endsOfEvents(content).map((end) => from + end)
  })
}

const END_OF_EVENT = Buffer.from('\n\n')

/** Returns where server-sent events end in these bytes. */
function endsOfEvents (content) {
  const ends = []
  for (let at = content.indexOf(END_OF_EVENT); at !== -1; at = content.indexOf(END_OF_EVENT, at + 2)) ends.push(at + 2)
  return ends
}

module.exports = { ServerConnection, endsOfEvents }
