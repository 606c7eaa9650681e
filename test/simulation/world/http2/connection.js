'use strict'

const { createRandom } = require('../../../../lib/load/random')
const { replyToCall } = require('../grpc')
const { ServerConnection, endsOfEvents } = require('../server-connection')
const { FieldEncoder } = require('./field-encoder')
const { FLAGS: { ACK }, ERRORS, HEAD_BYTES, USUAL_WINDOW, frameOf, settingsOf, wordsOf } = require('./frames')
const Http2Replies = require('./replies')
const Http2Stream = require('./stream')
const Uploads = require('./uploads')

const CONNECTIONS_APART = 1000
const ANY_STREAM = 2 ** 31 - 1
const NOTHING = Buffer.alloc(0)

/** The server's end of an HTTP/2 connection. Responses are sent when they are ready, each on its stream, as far as the client's windows permit. */
class Http2ServerConnection extends ServerConnection {
  constructor (server, socket, number) {
    super(server, socket, number)
    const { habits, world } = server
    const random = createRandom(world.seed + CONNECTIONS_APART * (number + 1))
    this.habits = habits
    this.chance = () => random.next()
    this.fieldEncoder = new FieldEncoder(habits.coding, this.chance)
    this.replies = new Http2Replies(socket)
    /** Streams that will be answered, by id. */
    this.streams = new Map()
    this.uploads = new Uploads(this)
    /** How much it may send before a WINDOW_UPDATE: on all streams together, and on a new one. */
    this.window = USUAL_WINDOW
    this.streamWindow = USUAL_WINDOW
    /** How much the client may send on a new stream, according to the server's SETTINGS. */
    this.initialWindow = USUAL_WINDOW
    this.peakStreams = 0
    /** The last stream that was opened, or that GOAWAY named. */
    this.lastStream = 0
    this.isLeaving = false
    /** Whether it has accepted no more streams for a while. */
    this.hasBarred = false
    // The server sends its SETTINGS when the connection is established.
    this.isGreeted = false
  }

  greet () {
    const { streams } = this.server
    this.isGreeted = true
    this.announce([...(streams === null ? [] : [['MAX_CONCURRENT_STREAMS', streams]]), ...Object.entries(this.habits.settings)])
  }

  /** Sends SETTINGS. @param {Array<[string, number]>} settings */
  announce (settings) {
    const payload = settingsOf(settings)
    this.speak(null, frameOf('SETTINGS', 0, 0, payload), { type: 'SETTINGS', flags: 0, stream: 0, payload, settings, length: HEAD_BYTES + payload.length })
    for (const [name, value] of settings) {
      if (name === 'INITIAL_WINDOW_SIZE') this.initialWindow = value
      if (name === 'MAX_CONCURRENT_STREAMS' && value === 0) this.hasBarred = true
    }
    this.uploads.creditAll()
  }

  /** Sends a frame that isn't part of a response. */
  say (type, flags, stream, payload = NOTHING) {
    this.speak(null, frameOf(type, flags, stream, payload), { type, flags, stream, payload, length: HEAD_BYTES + payload.length })
  }

  /** Sends the bytes of a frame; see Http2Replies for `what` and `of`. */
  speak (what, bytes, frame, of) {
    if (!this.isOpen) return
    this.replies.add(what, bytes.length, frame, of)
    this.transmit(bytes)
  }

  /** Sends something invalid. */
  lie (bytes) {
    this.socket.requests.hearsLie()
    this.speak('nonsense', bytes, null)
  }

  /** How many bytes of padding a frame has, given the available room; null: no padding field at all. */
  paddingFor (room) {
    const { padding } = this.habits
    if (padding === 0 || room < 1) return null
    return Math.min(Math.floor(this.chance() * (padding + 1)), room - 1)
  }

  // --- received frames

  /** Called by the socket when a frame of the client has arrived. */
  receive (frame) {
    if (!this.isOpen) return
    if (!this.isGreeted) this.greet()
    if (frame.type === 'SETTINGS' && !frame.isAck) this.heardSettings(frame)
    if (frame.type === 'WINDOW_UPDATE') this.windowGrew(frame)
    if (frame.type === 'RST_STREAM') this.cancelled(frame)
    if (frame.type === 'REQUEST' && !this.isRefused(frame)) this.admit(frame)
    if (frame.type === 'DATA') this.uploads.receive(frame)
  }

  heardSettings ({ payload }) {
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === 4) this.streamWindow = payload.readUInt32BE(at + 2)
    }
    this.say('SETTINGS', ACK, 0)
  }

  windowGrew ({ stream, payload }) {
    const increment = payload.readUInt32BE(0)
    if (stream === 0) this.window += increment
    else if (this.streams.has(stream)) this.streams.get(stream).window += increment
    this.pump()
  }

  admit (request) {
    this.lastStream = request.stream
    if (request.isWhole) this.begin(request)
    else this.uploads.begin(request)
  }

  cancelled ({ stream: id }) {
    const { hearsResetsAfter } = this.habits
    const stream = this.streams.get(id)
    this.uploads.drop(id)
    if (stream === undefined) return
    stream.isCancelled = true
    if (hearsResetsAfter === 0) this.closed(stream)
    else this.later(hearsResetsAfter, () => this.closed(stream))
  }

  /** Whether GOAWAY announced that this request won't be answered. */
  isRefused ({ stream }) {
    return this.isLeaving && stream > this.lastStream
  }

  /** A request has arrived, with as much of its body as the server waits for. */
  begin (request) {
    const { server } = this
    this.counted(request)
    const { entry, stream } = request
    this.streams.set(stream, new Http2Stream(this, stream, entry))
    this.peakStreams = Math.max(this.peakStreams, [...this.streams.values()].filter(({ isCancelled }) => !isCancelled).length)
    server.arrived(entry)
    if (this.received === server.keepAlive) this.goAway()
  }

  counted ({ entry }) {
    entry.arrived(this, this.server.requests++, this.received++)
  }

  /** Resets a request before it has arrived completely. */
  refuse (request, code) {
    const { entry, stream } = request
    this.counted(request)
    entry.answer = { rst: code }
    this.sayReset(entry, stream, code)
  }

  sayReset (entry, stream, code) {
    const payload = wordsOf(code)
    this.speak(entry, frameOf('RST_STREAM', 0, stream, payload), { type: 'RST_STREAM', flags: 0, stream, payload, length: HEAD_BYTES + 4 }, { isLast: true })
  }

  // --- the end of the connection

  /** GOAWAY. @param {{ code: number, untaken: number }} [how] the error code, and how many of the newest requests are refused */
  goAway ({ code = 0, untaken = 0 } = {}) {
    if (!this.isOpen || this.isLeaving) return
    if (!this.isGreeted) {
      this.end()
      return
    }
    const { goAwayWarning } = this.habits
    if (goAwayWarning === null || this.isWarned) this.leave(code, untaken)
    else this.warn(goAwayWarning, { code, untaken })
  }

  warn (ms, how) {
    this.isWarned = true
    this.say('GOAWAY', 0, 0, wordsOf(ANY_STREAM, 0))
    this.later(ms, () => this.goAway(how))
  }

  leave (code, untaken) {
    for (; untaken > 0 && this.canForget(this.lastStream); untaken--) {
      this.streams.delete(this.lastStream)
      this.uploads.drop(this.lastStream)
      this.lastStream = Math.max(0, this.lastStream - 2)
    }
    this.isLeaving = true
    this.say('GOAWAY', 0, 0, Buffer.concat([wordsOf(this.lastStream, code), Buffer.from(code === 0 ? '' : `for ${ERRORS[code]}`)]))
    this.endIfDone()
  }

  // Whether nothing has been sent on this stream yet.
  canForget (id) {
    return this.uploads.has(id) || this.streams.get(id)?.hasBegun === false
  }

  endIfDone () {
    if (this.isLeaving && this.streams.size === 0 && this.uploads.size === 0) this.end()
  }

  closed (stream) {
    if (this.streams.get(stream.id) !== stream) return
    this.streams.delete(stream.id)
    this.endIfDone()
  }

  // --- answers

  answered (entry) {
    const { answer } = entry
    const stream = this.streams.get(entry.stream)
    // The client may have canceled it.
    if (!this.isOpen || stream?.entry !== entry || answer === 'silence') return
    if (answer === 'reset' || answer === 'end') {
      this[answer]()
      return
    }
    entry.answeredAt = this.scheduler.time
    if (answer.bytes !== undefined) this.lie(Buffer.from(answer.bytes, 'latin1'))
    else if (answer.rst !== undefined && answer.body === undefined) this.resetStream(stream, answer.rst)
    else if (this.server.grpc && typeof answer !== 'number') this.stream(stream, replyToCall(answer))
    else if (answer.pieces !== undefined) this.stream(stream, answer)
    else this.respond(stream, typeof answer === 'number' ? { status: answer } : answer)
    this.pump()
  }

  resetStream (stream, code) {
    this.sayReset(stream.entry, stream.id, code)
    this.closed(stream)
  }

  respond (stream, { status = 200, headers = {}, body = 'ok', bodyAfter = 0, cutAt = Infinity, then = null, rst, rstAfter }) {
    const { method } = stream.entry
    const content = Buffer.from(body)
    const hasNoBody = method === 'HEAD' || status === 204 || status === 304 || content.length === 0
    const length = status === 204 || status === 304 ? {} : { 'content-length': String(content.length) }
    Object.assign(stream, { cutAt, then: then ?? 'end' })
    stream.head(this.fieldsOf(stream, { ':status': String(status), ...length, ...headers }), hasNoBody)
    const finish = () => {
      if (rst !== undefined && !hasNoBody) {
        stream.data(content.subarray(0, Math.min(rstAfter, content.length - 1)), false)
        stream.after(() => this.resetStream(stream, rst))
        return
      }
      if (!hasNoBody) stream.data(content, true)
      stream.after(() => this.finished(stream, then))
    }
    if (bodyAfter > 0 && !hasNoBody) this.laterOn(stream, bodyAfter, finish)
    else finish()
  }

  finished (stream, then) {
    this.closed(stream)
    if (then !== null) this[then]()
  }

  // Sends a body in pieces, followed by trailers; if these are null and there are no pieces, the response consists of its headers.
  stream (stream, { status = 200, headers = {}, pieces, trailers = null, endAfter = pieces.at(-1)?.[0] ?? 0 }) {
    const isHeadAll = pieces.length === 0 && trailers === null
    stream.head(this.fieldsOf(stream, { ':status': String(status), ...headers }), isHeadAll)
    if (isHeadAll) {
      stream.after(() => this.closed(stream))
      return
    }
    for (const [after, text] of pieces) {
      const content = Buffer.from(text)
      this.laterOn(stream, after, () => stream.data(content, false, endsOfEvents(content)))
    }
    this.laterOn(stream, endAfter, () => {
      if (trailers === null) stream.data(NOTHING, true)
      else stream.head(Object.entries(trailers), true)
      stream.after(() => this.closed(stream))
    })
  }

  fieldsOf ({ entry }, headers) {
    const { filler, clock } = this.habits
    const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    if (clock > 0) fields.splice(1, 0, ['date', String(Math.floor(this.scheduler.time / 1000 / clock))])
    // Only a few lengths, so that some are repeated.
    if (filler > 0) fields.push(['x-filler', 'x'.repeat(Math.floor(Math.floor(this.chance() * 4) * filler / 3))])
    Object.defineProperty(entry, 'fields', { value: fields, configurable: true })
    return fields
  }

  /** Sends pending frames, as far as the client's windows permit: one of each stream in turn. */
  pump () {
    for (let goesOn = true; goesOn && this.isOpen;) {
      goesOn = false
      for (const stream of [...this.streams.values()]) {
        if (this.isOpen && stream.sayNext()) goesOn = true
      }
    }
  }

  later (ms, act) {
    this.scheduler.add(this.scheduler.time + Math.round(ms * 1000), () => { if (this.isOpen) act() })
  }

  laterOn (stream, ms, act) {
    this.later(ms, () => {
      if (this.streams.get(stream.id) !== stream) return
      act()
      this.pump()
    })
  }
}

module.exports = Http2ServerConnection
