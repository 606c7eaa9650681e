'use strict'

const { HEADERS, DATA, SETTINGS, RST_STREAM, GOAWAY, ACK, END_STREAM, END_HEADERS, FRAME_HEADER_BYTES, MAX_CONCURRENT_STREAMS } = require('../../../lib/protocol/http2/constants')
const { settingsFrame, rstStreamFrame, windowUpdateFrame, writeFrameHeader } = require('../../../lib/protocol/http2/frames')
const { replyToCall } = require('./grpc')
const { ServerConnection, endsOfEvents } = require('./server-connection')

// So much of bodies is taken before the windows are opened again by as much.
const TAKEN_AT_ONCE = 16384

/** The server's end of a connection with HTTP/2. Answers leave when they are ready, each on its stream. */
class Http2ServerConnection extends ServerConnection {
  constructor (server, socket, number) {
    super(server, socket, number)
    this.replies = new Http2Replies(socket)
    /** Streams that are open, by their ids: their requests. */
    this.streams = new Map()
    /** Those whose bodies are on their way: `{ frame, pieces }`. */
    this.uploads = new Map()
    this.unacknowledged = 0
    this.peakStreams = 0
    this.lastStream = 0
    this.isLeaving = false
    // It speaks when the connection is there.
    this.isGreeted = false
  }

  greet () {
    const { streams } = this.server
    this.isGreeted = true
    this.speak('usable', settingsFrame(streams === null ? [] : [[MAX_CONCURRENT_STREAMS, streams]]))
  }

  // Bytes that belong to no answer, or to one; `isLast` with its last ones.
  speak (what, bytes, isLast = false, eventEnds = []) {
    if (!this.isOpen) return
    this.replies.add(what, bytes.length, isLast, eventEnds)
    this.transmit(bytes)
  }

  /** For the socket: a frame of the client's has come. */
  receive (frame) {
    if (!this.isOpen) return
    if (!this.isGreeted) this.greet()
    if (frame.type === SETTINGS && !frame.isAck) this.speak(null, frameOf(SETTINGS, ACK, 0))
    if (frame.type === RST_STREAM) this.cancelled(frame)
    if (frame.type === HEADERS && !this.isRefused(frame)) this.admit(frame)
    if (frame.type === DATA) this.receiveBody(frame)
  }

  admit (frame) {
    this.lastStream = frame.stream
    if (frame.endsStream) this.begin(frame)
    else this.uploads.set(frame.stream, { frame, pieces: [] })
  }

  receiveBody ({ stream, payload, endsStream }) {
    this.unacknowledged += payload.length
    if (this.unacknowledged >= TAKEN_AT_ONCE) {
      this.speak(null, windowUpdateFrame(0, this.unacknowledged))
      this.unacknowledged = 0
    }
    const upload = this.uploads.get(stream)
    if (upload === undefined) return
    if (payload.length > 0 && !endsStream) this.speak(null, windowUpdateFrame(stream, payload.length))
    upload.pieces.push(payload)
    if (!endsStream) return
    this.uploads.delete(stream)
    Object.defineProperty(upload.frame.entry, 'body', { value: Buffer.concat(upload.pieces) })
    this.begin(upload.frame)
  }

  cancelled ({ stream }) {
    this.streams.delete(stream)
    this.uploads.delete(stream)
  }

  /** Whether the GOAWAY has said that this request will not be answered. */
  isRefused ({ stream }) {
    return this.isLeaving && stream > this.lastStream
  }

  begin ({ entry, stream }) {
    const { server } = this
    entry.arrived(this, server.requests++, this.received++)
    this.streams.set(stream, entry)
    this.peakStreams = Math.max(this.peakStreams, this.streams.size)
    server.arrived(entry)
    if (this.received === server.keepAlive) this.goAway()
  }

  goAway () {
    if (!this.isOpen || this.isLeaving) return
    if (!this.isGreeted) {
      this.end()
      return
    }
    this.isLeaving = true
    const payload = Buffer.alloc(8)
    payload.writeUInt32BE(this.lastStream, 0)
    this.speak(null, frameOf(GOAWAY, 0, 0, payload))
    this.endIfDone()
  }

  endIfDone () {
    if (this.isLeaving && this.streams.size === 0 && this.uploads.size === 0) this.end()
  }

  answered (entry) {
    const { answer, stream } = entry
    // The client may have cancelled it.
    if (!this.isOpen || this.streams.get(stream) !== entry || answer === 'silence') return
    if (answer === 'reset' || answer === 'end') {
      this[answer]()
      return
    }
    entry.answeredAt = this.scheduler.time
    if (answer.rst !== undefined) {
      this.speak(entry, rstStreamFrame(stream, answer.rst), true)
      this.closed(stream)
    } else if (answer.bytes !== undefined) {
      this.speak('nonsense', Buffer.from(answer.bytes, 'latin1'))
    } else if (this.server.grpc && typeof answer !== 'number') {
      this.stream(entry, replyToCall(answer))
    } else if (answer.pieces !== undefined) {
      this.stream(entry, answer)
    } else {
      this.respond(entry, typeof answer === 'number' ? { status: answer } : answer)
    }
  }

  respond (entry, { status = 200, headers = {}, body = 'ok', bodyAfter = 0, cutAt = Infinity, then = null }) {
    const { method, stream } = entry
    const content = Buffer.from(body)
    const hasNoBody = method === 'HEAD' || status === 204 || status === 304 || content.length === 0
    const length = status === 204 || status === 304 ? {} : { 'content-length': String(content.length) }
    const block = blockOf({ ':status': String(status), ...length, ...headers })
    const head = frameOf(HEADERS, END_HEADERS | (hasNoBody ? END_STREAM : 0), stream, block)
    const data = hasNoBody ? Buffer.alloc(0) : frameOf(DATA, END_STREAM, stream, content)
    if (cutAt < head.length + data.length) {
      this.speak(entry, Buffer.concat([head, data]).subarray(0, cutAt))
      this[then ?? 'end']()
      return
    }
    this.speak(entry, head, hasNoBody)
    const finish = () => {
      if (!this.isOpen || this.streams.get(stream) !== entry) return
      if (!hasNoBody) this.speak(entry, data, true)
      this.closed(stream)
      if (then !== null) this[then]()
    }
    if (bodyAfter > 0 && !hasNoBody) this.scheduler.add(this.scheduler.time + Math.round(bodyAfter * 1000), finish)
    else finish()
  }

  // A body that comes piece by piece, and trailers behind it; where these are null and there are no pieces, the head is all.
  stream (entry, { status = 200, headers = {}, pieces, trailers = null, endAfter = pieces.at(-1)?.[0] ?? 0 }) {
    const { stream } = entry
    const begunAt = this.scheduler.time
    const isHeadAll = pieces.length === 0 && trailers === null
    const head = blockOf({ ':status': String(status), ...headers })
    this.speak(entry, frameOf(HEADERS, END_HEADERS | (isHeadAll ? END_STREAM : 0), stream, head), isHeadAll)
    if (isHeadAll) {
      this.closed(stream)
      return
    }
    const later = (ms, say) => this.scheduler.add(begunAt + Math.round(ms * 1000), () => {
      if (this.isOpen && this.streams.get(stream) === entry) say()
    })
    for (const [after, text] of pieces) {
      const content = Buffer.from(text)
      later(after, () => this.speak(entry, frameOf(DATA, 0, stream, content), false, endsOfEvents(content).map((end) => FRAME_HEADER_BYTES + end)))
    }
    later(endAfter, () => {
      const last = trailers === null ? frameOf(DATA, END_STREAM, stream) : frameOf(HEADERS, END_HEADERS | END_STREAM, stream, blockOf(trailers))
      this.speak(entry, last, true)
      this.closed(stream)
    })
  }

  closed (stream) {
    this.streams.delete(stream)
    this.endIfDone()
  }
}

/** What of the bytes of a connection is of which answer, so that the world knows when the client has read it. */
class Http2Replies {
  constructor (socket) {
    this.socket = socket
    this.read_ = 0
    this.written = 0
    this.expected = []
  }

  /** @param {object|'usable'|'nonsense'|null} what the request that is answered; the SETTINGS; no frame at all; another frame */
  add (what, length, isLast, eventEnds) {
    const start = this.written
    this.written += length
    this.expected.push({ what, start, end: this.written, isLast, eventEnds: eventEnds.map((end) => start + end) })
  }

  read (length, now) {
    this.read_ += length
    while (this.expected.length > 0) {
      const [{ what, start, end, isLast, eventEnds }] = this.expected
      // Nobody reads on behind it.
      if (what === 'nonsense') return
      const isAnswer = what !== null && what !== 'usable' && what.cancelledAt === undefined
      const isReset = isAnswer && what.answer.rst !== undefined
      if (isAnswer && !isReset && this.read_ > start) what.firstByteAt ??= now
      if (isAnswer) this.sawEvents(what, eventEnds, now)
      if (this.read_ < end) return
      if (what === 'usable') this.socket.becameUsable()
      if (isAnswer && isLast) what[endingOf(what.answer)] = now
      this.expected.shift()
    }
  }

  sawEvents (entry, ends, now) {
    const seen = ends.filter((end) => end <= this.read_).length
    ends.splice(0, seen)
    if (seen > 0) entry.eventsAt = [...(entry.eventsAt ?? []), ...new Array(seen).fill(now)]
  }
}

// What has come with the last byte of an answer. One that is harmed is none.
function endingOf ({ rst, harm }) {
  if (rst !== undefined) return 'resetAt'
  return harm === undefined ? 'receivedAt' : 'spoiledAt'
}

function frameOf (type, flags, stream, payload = Buffer.alloc(0)) {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + payload.length)
  payload.copy(frame, writeFrameHeader(frame, 0, payload.length, type, flags, stream))
  return frame
}

function blockOf (fields) {
  return Buffer.concat(Object.entries(fields).map(([name, value]) => literal(name.toLowerCase(), value)))
}

// A field as a literal without indexing and without Huffman's code (RFC 7541, section 6.2.2).
function literal (name, value) {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value, 'latin1')])
}

module.exports = Http2ServerConnection
