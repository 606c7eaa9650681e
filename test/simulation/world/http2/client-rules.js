'use strict'

const Credits = require('./credits')
const FieldDecoder = require('./field-decoder')
const { FLAGS: { ACK, END_STREAM, END_HEADERS }, SETTINGS, SETTING_BYTES, ERRORS, USUAL_WINDOW, LARGEST_WINDOW, USUAL_FRAME, LARGEST_FRAME } = require('./frames')
const readRequestHead = require('./request-head')

const FLAGS_OF = { DATA: END_STREAM, HEADERS: END_STREAM | END_HEADERS, CONTINUATION: END_HEADERS, SETTINGS: ACK, PING: ACK }
const NAMES_OF_SETTINGS = Object.fromEntries(Object.entries(SETTINGS).map(([name, identifier]) => [identifier, name]))
// Error codes that a client may send to a server that has done nothing wrong.
const NO_REPROACHES = new Set(['NO_ERROR', 'CANCEL'])

/**
 * Checks what a client writes on one connection (RFC 9113), given what it has read and acknowledged. Frames are checked when they are
 * written: frames still on their way to the client don't matter, and SETTINGS apply from its acknowledgement on. Throws an Error for a
 * violation.
 */
class ClientRules {
  constructor () {
    this.fields = new FieldDecoder()
    /** SETTINGS of the server that the client has read, but not acknowledged, oldest first; each is a list of names and values. */
    this.unacknowledged = []
    this.pings = []
    /** The limits in the server's acknowledged SETTINGS. */
    this.limits = { streams: Infinity, window: USUAL_WINDOW, frame: USUAL_FRAME }
    /** How much it may still send, on all streams together. */
    this.window = USUAL_WINDOW
    this.streams = new Map()
    /** Streams that count toward the limit of concurrent streams (section 5.1.2). */
    this.open = new Set()
    /** Streams whose end is read in this turn: the client may not know it yet when it writes. */
    this.ending = new Set()
    /** Streams that got DATA in this turn. */
    this.fed = new Set()
    this.lastId = 0
    this.isGreeted = false
    this.hasReadSettings = false
    /** The header block in progress. */
    this.block = null
    /** The GOAWAY that it has read: from which turn on it may open no stream, and the last stream that the server accepts, from which turn on. */
    this.leaving = null
    /** Number of the chunk being read: the client may not know the contents of the latest one yet when it writes. */
    this.turn = 0
    this.credits = new Credits('the connection', USUAL_WINDOW)
    this.streamWindow = USUAL_WINDOW
    /** Whether the server has sent something invalid. */
    this.isLiedTo = false
  }

  // --- frames that the client writes

  /** @returns {?object} the head of the request whose header block ends with this frame */
  wrote (frame) {
    const { type, flags, stream, payload } = frame
    if (!this.isGreeted && (type !== 'SETTINGS' || (flags & ACK) !== 0)) throw new Error(`it begins with a ${type} frame`)
    this.isGreeted = true
    if (this.block !== null && (type !== 'CONTINUATION' || stream !== this.block.stream)) throw new Error(`a ${type} frame stands within a header block`)
    if ((flags & ~(FLAGS_OF[type] ?? 0)) !== 0) throw new Error(`a ${type} frame has the flags ${flags}`)
    if (payload.length > this.limits.frame) throw new Error(`a ${type} frame has ${payload.length} octets, of ${this.limits.frame}`)
    if (this[type] === undefined) throw new Error(`a ${type} frame has no place in a request`)
    return this[type](frame) ?? null
  }

  SETTINGS ({ flags, stream, payload }) {
    if (stream !== 0) throw new Error('SETTINGS are of a stream')
    if ((flags & ACK) === 0) return this.announces(payload)
    if (payload.length > 0) throw new Error('an acknowledgement of SETTINGS says something')
    const settings = this.unacknowledged.shift()
    if (settings === undefined) throw new Error('it acknowledges SETTINGS that it has not read')
    for (const [name, value] of settings) this.limit(name, value)
  }

  limit (name, value) {
    const { limits, open, ending } = this
    if (name === 'HEADER_TABLE_SIZE') this.fields.setLimit(value)
    if (name === 'MAX_CONCURRENT_STREAMS') limits.streams = value
    if (name === 'MAX_FRAME_SIZE') limits.frame = value
    if (name !== 'INITIAL_WINDOW_SIZE') return
    for (const stream of [...open, ...ending]) stream.window += value - limits.window
    limits.window = value
  }

  announces (payload) {
    if (payload.length % SETTING_BYTES !== 0) throw new Error(`SETTINGS have ${payload.length} octets`)
    for (let at = 0; at < payload.length; at += SETTING_BYTES) {
      const name = NAMES_OF_SETTINGS[payload.readUInt16BE(at)]
      const value = payload.readUInt32BE(at + 2)
      if (name === 'ENABLE_PUSH' && value > 1) throw new Error(`ENABLE_PUSH is ${value}`)
      if (name === 'MAX_FRAME_SIZE' && (value < USUAL_FRAME || value > LARGEST_FRAME)) throw new Error(`MAX_FRAME_SIZE is ${value}`)
      if (name !== 'INITIAL_WINDOW_SIZE') continue
      if (value > LARGEST_WINDOW) throw new Error(`INITIAL_WINDOW_SIZE is ${value}`)
      this.streamWindow = value
    }
  }

  HEADERS (frame) {
    const { flags, stream: id, payload } = frame
    if (!this.hasReadSettings) throw new Error('a request comes before the SETTINGS of the server')
    if (id % 2 !== 1 || id <= this.lastId) throw new Error(`the stream ${id} begins behind the stream ${this.lastId}`)
    if (this.leaving !== null && this.leaving.since < this.turn) throw new Error(`the stream ${id} begins after a GOAWAY`)
    if (this.open.size >= this.limits.streams) throw new Error(`the stream ${id} begins beside ${this.open.size} others, of ${this.limits.streams} at a time`)
    this.lastId = id
    this.block = { stream: id, isWhole: (flags & END_STREAM) !== 0, pieces: [payload] }
    return (flags & END_HEADERS) === 0 ? null : this.endBlock()
  }

  CONTINUATION ({ flags, payload }) {
    if (this.block === null) throw new Error('a CONTINUATION frame continues nothing')
    this.block.pieces.push(payload)
    return (flags & END_HEADERS) === 0 ? null : this.endBlock()
  }

  endBlock () {
    const { stream: id, isWhole, pieces } = this.block
    this.block = null
    const fields = this.fields.decode(Buffer.concat(pieces))
    const head = readRequestHead(fields)
    const stream = {
      id,
      window: this.limits.window,
      hasSentAll: isWhole,
      sent: 0,
      expected: head.length,
      // The turns in which it read the frame that ends the stream, its end, and its reset.
      endsIn: Infinity,
      readAllIn: Infinity,
      resetIn: Infinity,
      isReset: false,
      credits: new Credits(`the stream ${id}`, this.streamWindow)
    }
    this.streams.set(id, stream)
    this.open.add(stream)
    if (isWhole) this.checkLength(stream)
    return { ...head, stream: id, isWhole, fields }
  }

  DATA ({ flags, stream: id, payload: { length } }) {
    const stream = this.streamOf('DATA', id)
    if (stream.hasSentAll) throw new Error(`DATA comes behind the end of the stream ${id}`)
    this.checkOpen('DATA', stream)
    if (this.leaving !== null && this.leaving.turn < this.turn && id > this.leaving.lastId) throw new Error(`DATA comes on the stream ${id}, which the server has not taken`)
    if (length === 0 && (flags & END_STREAM) === 0) throw new Error(`an empty DATA frame of the stream ${id} ends nothing`)
    // An empty frame needs no window.
    if (length > 0 && length > this.window) throw new Error(`${length} octets of DATA come on the stream ${id}, and the window of the connection has ${this.window}`)
    if (length > 0 && length > stream.window) throw new Error(`${length} octets of DATA come on the stream ${id}, and its window has ${stream.window}`)
    this.window -= length
    stream.window -= length
    stream.sent += length
    stream.hasSentAll = (flags & END_STREAM) !== 0
    if (stream.hasSentAll || stream.sent > (stream.expected ?? Infinity)) this.checkLength(stream)
    this.settle(stream)
  }

  checkLength ({ id, sent, expected }) {
    if (expected !== null && sent !== expected) throw new Error(`the body of the stream ${id} has ${sent} octets, of ${expected} that it says`)
  }

  RST_STREAM ({ stream: id, payload }) {
    if (payload.length !== 4) throw new Error(`RST_STREAM has ${payload.length} octets`)
    const stream = this.streamOf('RST_STREAM', id)
    this.checkReproach(payload.readUInt32BE(0), `the stream ${id}`)
    if (this.wasOver(stream)) throw new Error(`RST_STREAM comes on the stream ${id}, which is over`)
    stream.isReset = true
    this.settle(stream)
  }

  WINDOW_UPDATE ({ stream: id, payload }) {
    if (payload.length !== 4) throw new Error(`WINDOW_UPDATE has ${payload.length} octets`)
    const increment = payload.readUInt32BE(0)
    if (increment === 0 || increment > LARGEST_WINDOW) throw new Error(`WINDOW_UPDATE says ${increment}`)
    const stream = id === 0 ? null : this.streamOf('WINDOW_UPDATE', id)
    if (stream !== null && (this.wasOver(stream) || stream.endsIn < this.turn)) throw new Error(`WINDOW_UPDATE comes on the stream ${id}, on which nothing comes any more`)
    const credits = stream === null ? this.credits : stream.credits
    // An increment before the first byte enlarges the window.
    if (stream === null && credits.received === 0) credits.full += increment
    else credits.credit(increment)
    if (credits.full > LARGEST_WINDOW) throw new Error(`WINDOW_UPDATE makes the window ${credits.full} octets large`)
  }

  PING ({ flags, stream, payload }) {
    if (stream !== 0 || payload.length !== 8) throw new Error(`PING of ${payload.length} octets on the stream ${stream}`)
    if ((flags & ACK) === 0) throw new Error('it asks whether the server is there')
    const asked = this.pings.shift()
    if (asked === undefined || !asked.equals(payload)) throw new Error(`it answers a PING with ${payload.toString('hex')}, and not ${asked?.toString('hex') ?? 'that it has read'}`)
  }

  GOAWAY ({ stream, payload }) {
    if (stream !== 0 || payload.length < 8) throw new Error(`GOAWAY of ${payload.length} octets on the stream ${stream}`)
    if (payload.readUInt32BE(0) !== 0) throw new Error(`GOAWAY says that the stream ${payload.readUInt32BE(0)} of the server's was the last`)
    this.checkReproach(payload.readUInt32BE(4), 'the connection')
  }

  checkReproach (code, whose) {
    const name = ERRORS[code] ?? String(code)
    if (!this.isLiedTo && !NO_REPROACHES.has(name)) throw new Error(`it ends ${whose} with ${name}, and the server has done nothing wrong`)
  }

  // --- streams

  streamOf (type, id) {
    const stream = this.streams.get(id)
    if (stream === undefined) throw new Error(`${type} comes on the stream ${id}, which has not begun`)
    return stream
  }

  checkOpen (type, stream) {
    if (this.wasOver(stream)) throw new Error(`${type} comes on the stream ${stream.id}, which is over`)
  }

  // Whether the stream was over as far as the client knew before the current chunk.
  wasOver ({ hasSentAll, readAllIn, isReset, resetIn }) {
    return isReset || resetIn < this.turn || (hasSentAll && readAllIn < this.turn)
  }

  settle (stream) {
    const { hasSentAll, readAllIn, isReset, resetIn } = stream
    const isOver = isReset || resetIn !== Infinity || (hasSentAll && readAllIn !== Infinity)
    if (isOver && this.open.delete(stream)) this.ending.add(stream)
  }

  // The client has the whole body of a request with a known length from the beginning.
  checkProgress ({ id, hasSentAll, expected, window, endsIn, sent }) {
    if (hasSentAll || expected === null || window <= 0 || endsIn !== Infinity || id > (this.leaving?.lastId ?? Infinity)) return
    throw new Error(`it has sent ${sent} of ${expected} octets of the stream ${id}, whose window takes ${window} more, and that of the connection ${this.window}`)
  }

  // --- frames that the client reads

  /** The client starts to read another chunk. */
  beginTurn () {
    this.turn++
    this.ending.clear()
  }

  /** A DATA frame of the server begins in the chunk. */
  beganData ({ flags, stream: id, payload }) {
    const stream = this.streams.get(id)
    this.credits.receive(payload.length)
    // Data for a stream that it has reset counts only for the window of the connection.
    if (stream.isReset) return
    const isLast = (flags & END_STREAM) !== 0
    stream.credits.receive(payload.length, isLast)
    this.fed.add(stream)
    if (isLast) stream.endsIn = this.turn
  }

  /** A frame of the server ends in the chunk. */
  read ({ type, flags, stream: id, payload, settings, endsStream }) {
    const stream = this.streams.get(id)
    if (type === 'SETTINGS' && (flags & ACK) === 0) {
      this.hasReadSettings = true
      this.unacknowledged.push(settings)
    } else if (type === 'PING') {
      this.pings.push(payload)
    } else if (type === 'GOAWAY') {
      this.leaving = { since: this.leaving?.since ?? this.turn, lastId: payload.readUInt32BE(0), turn: this.turn }
    } else if (type === 'WINDOW_UPDATE') {
      if (id === 0) this.window += payload.readUInt32BE(0)
      else stream.window += payload.readUInt32BE(0)
    } else if (type === 'RST_STREAM') {
      stream.resetIn = this.turn
      this.settle(stream)
    } else if (endsStream) {
      stream.endsIn = Math.min(stream.endsIn, this.turn)
      stream.readAllIn = this.turn
      this.settle(stream)
    }
  }

  /** The client has processed this chunk and responded to it. @param {boolean} isHeldUp its system accepts no more data for now */
  endTurn (isHeldUp) {
    if (this.unacknowledged.length > 0) throw new Error('it does not acknowledge SETTINGS')
    if (this.pings.length > 0) throw new Error('it does not answer a PING')
    this.credits.settle(false)
    for (const { credits, endsIn, isReset, resetIn } of this.fed) credits.settle(endsIn !== Infinity || isReset || resetIn !== Infinity)
    this.fed.clear()
    if (!isHeldUp && this.window > 0) for (const stream of this.open) this.checkProgress(stream)
  }
}

module.exports = ClientRules
