'use strict'

const { trimSpaces } = require('../../http/header-fields')
const Ids = require('../../world/ids')
const TraceIds = require('../../world/trace-ids')
const { valuesByName, METHODS_WITH_BODY } = require('../http1/request')
const { ID_TAG, toBytes, withRoomForIds } = require('../shared/ids')
const RequestLine = require('../shared/request-line')
const { DATA, HEADERS, CONTINUATION, END_STREAM, END_HEADERS, FRAME_HEADER_BYTES, DEFAULT_FRAME_SIZE } = require('./constants')
const { writeFrameHeader, writeWord } = require('./frames')
const { encodeFields } = require('./hpack/encoder')

// RFC 9113, section 8.2.2: connection-specific fields are left out. Host becomes :authority.
const LEFT_OUT = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'host', 'te'])
const ABSOLUTE = /^https?:\/\//i
const STREAM_ID_AT = 5
/** The index of a request that does not belong to its target's sequence. */
const NONE = -1
// The traceparent is filled in from its beginning.
const VARIES = [0]

/** One HTTP/2 request. Immutable: a change creates a new request. */
class StreamRequest {
  /**
   * @param {object} parts
   * @param {string} parts.method
   * @param {string} parts.scheme
   * @param {string} parts.authority
   * @param {string} parts.path
   * @param {Array<[string, string, number[]]>} parts.fields names in lower case, values as Latin-1 octets, and the positions in
   *   the value that get a new id for each request
   * @param {Buffer} parts.body
   * @param {number[]} parts.bodyPlaces the positions in the body that get a new id for each request
   * @param {?{ source: function, length: ?number }} parts.stream of a streamed body
   * @param {boolean} parts.closes whether the connection must close after the response
   * @param {?string} parts.traceparent the value of this field, of which digits are replaced for each request; null if there is none
   */
  constructor (parts) {
    this.parts = parts
    this.body = parts.body
    this.stream = parts.stream
    this.closes = parts.closes
    /** Whether this is a HEAD request, whose response has no body, whatever its header says. */
    this.isHead = parts.method === 'HEAD'
    /** Its index in the target's sequence; see request-set.js. */
    this.index = NONE
    this.line = null
  }

  /** All fields, the pseudo-headers first (section 8.3.1). */
  get fields () {
    const { method, scheme, authority, path, fields, traceparent } = this.parts
    const last = traceparent === null ? [] : [[TraceIds.HEADER, traceparent, VARIES]]
    // Section 8.5: CONNECT has no :scheme and no :path.
    if (method === 'CONNECT') return [[':method', method], [':authority', authority], ...fields, ...last]
    const { value, places } = pathWithIds(path)
    return [[':method', method], [':scheme', scheme], [':authority', authority], [':path', value, places], ...fields, ...last]
  }

  get hasIds () {
    const { path, fields, bodyPlaces } = this.parts
    return typeof path !== 'string' || bodyPlaces.length > 0 || fields.some(([, , places]) => places.length > 0)
  }

  /** Whether all copies of this request are identical. */
  get isRepeatable () {
    return this.stream === null && !this.hasIds
  }

  /** Returns the same request with another path, which is what hooks change most often. */
  withPath (path) {
    return new StreamRequest({ ...this.parts, path })
  }

  /** Whether its header block ends the stream. */
  get endsWithHead () {
    return this.stream === null && this.body.length === 0
  }

  /**
   * Encodes its frames: the header block, and the body if it fits in one DATA frame.
   *
   * @param {TableState} state of the connection's table
   * @param {boolean} isRepeated whether fields may be added to the table
   * @param {Buffer} [prefix] inserted before the fields of the block
   * @returns {Wire}
   */
  encode (state, isRepeated, prefix) {
    return new Wire(this, encodeFields(this.fields, state, isRepeated), prefix)
  }

  /** What is reported of a copy that was sent. @param {string} [id] of this copy */
  describe (id) {
    if (this.line === null) {
      const { value, places } = pathWithIds(this.parts.path)
      this.line = new RequestLine(this.parts.method, value, places)
    }
    return this.line.with(id)
  }

  /** Returns the body with an id filled in. */
  bodyWith (id) {
    const { bodyPlaces } = this.parts
    if (bodyPlaces.length === 0) return this.body
    const body = Buffer.from(this.body)
    for (const place of bodyPlaces) body.write(id, place, 'latin1')
    return body
  }
}

/*
 * The bytes of a request, without the parts that differ each time: its stream id, and its own id if it contains one.
 *
 *     HEADERS stream? block (CONTINUATION stream? block)… | DATA stream? body
 *                                                         ^ headLength
 */
class Wire {
  constructor (request, { bytes: block, places, next }, prefix = Buffer.alloc(0)) {
    /** The state of the connection's table after it. */
    this.next = next
    this.hasBody = request.body.length > 0
    const isWhole = request.stream === null && request.body.length <= DEFAULT_FRAME_SIZE
    /** Octets of the body included here; they count for flow control. */
    this.bodyLength = isWhole ? request.body.length : 0
    this.streamIdPlaces = []
    const pieces = this.frameHead(Buffer.concat([prefix, block]), request.endsWithHead)
    this.headLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
    /** The position of each character of the traceparent. */
    this.tracePlaces = request.parts.traceparent === null ? [] : charactersOf(prefix.length + places.pop(), TraceIds.LENGTH).map(placeInFrames)
    this.isTraceWhole = this.tracePlaces.at(-1) - this.tracePlaces[0] === TraceIds.LENGTH - 1
    // For each id, the position of each of its characters, since a block may be split anywhere.
    this.idPlaces = places.map((place) => charactersOf(prefix.length + place, Ids.LENGTH).map(placeInFrames))
    if (this.bodyLength > 0) {
      const bodyStart = this.headLength + FRAME_HEADER_BYTES
      this.streamIdPlaces.push(this.headLength + STREAM_ID_AT)
      this.idPlaces.push(...request.parts.bodyPlaces.map((place) => charactersOf(bodyStart + place, Ids.LENGTH)))
      pieces.push(frameHeader(request.body.length, DATA, END_STREAM), request.body)
    }
    this.bytes = Buffer.concat(pieces)
    this.length = this.bytes.length
    /** For few bytes, a loop is faster than a call to copy them. */
    this.isShort = this.length <= 64
  }

  // Sections 6.2 and 6.10: a block that exceeds one frame continues in others.
  frameHead (block, endsStream) {
    const pieces = []
    let at = 0
    let type = HEADERS
    do {
      const piece = block.subarray(at, at + DEFAULT_FRAME_SIZE)
      at += piece.length
      const flags = (type === HEADERS && endsStream ? END_STREAM : 0) | (at === block.length ? END_HEADERS : 0)
      this.streamIdPlaces.push(pieces.reduce((sum, { length }) => sum + length, 0) + STREAM_ID_AT)
      pieces.push(frameHeader(piece.length, type, flags), piece)
      type = CONTINUATION
    } while (at < block.length)
    return pieces
  }

  /**
   * Writes it for one stream.
   *
   * @param {Buffer} target
   * @param {number} at
   * @param {number} streamId
   * @param {string} id for the id placeholders
   * @param {boolean} withBody whether to write the included body as well
   * @returns {number} the position after it
   */
  write (target, at, streamId, id, withBody) {
    const length = withBody ? this.length : this.headLength
    if (this.isShort) {
      for (let index = 0; index < length; index++) target[at + index] = this.bytes[index]
    } else {
      this.bytes.copy(target, at, 0, length)
    }
    for (const place of this.streamIdPlaces) {
      if (place < length) writeWord(target, at + place, streamId)
    }
    for (const places of this.idPlaces) {
      for (let index = 0; index < places.length; index++) {
        if (places[index] < length) target[at + places[index]] = id.charCodeAt(index)
      }
    }
    return at + length
  }

  /**
   * Fills in the traceparent of a request that was written.
   *
   * @param {Outbox} outbox
   * @param {number} at where the request begins
   * @param {TraceIds} traces
   * @param {number} serial
   */
  trace (outbox, at, traces, serial) {
    if (this.isTraceWhole) {
      traces.write(outbox.view, at + this.tracePlaces[0], serial)
      return
    }
    const value = traces.headerOf(serial)
    this.tracePlaces.forEach((place, index) => { outbox.buffer[at + place] = value.charCodeAt(index) })
  }
}

function frameHeader (length, type, flags) {
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES)
  writeFrameHeader(header, 0, length, type, flags, 0)
  return header
}

function charactersOf (place, length) {
  return Array.from({ length }, (_, index) => place + index)
}

// Converts a position in the block to its position in the frames, which adds their headers.
function placeInFrames (place) {
  return place + FRAME_HEADER_BYTES * (Math.floor(place / DEFAULT_FRAME_SIZE) + 1)
}

function pathWithIds (path) {
  return typeof path === 'string' ? { value: path, places: [] } : path
}

/**
 * @param {object} request as in the plan
 * @param {string} request.method
 * @param {?string} request.path null for the target's path
 * @param {[string, string][]} request.headers the user's headers, which override the default ones
 * @param {string|Uint8Array|function|null} request.body a function returns a new stream for each request
 * @param {object} target of the plan
 * @param {boolean} [withIds] replace id placeholders in path, headers and body, but not in a stream
 * @param {string} [tag] the placeholder for an id
 * @returns {StreamRequest}
 */
function encodeRequest ({ method, path, headers, body }, target, withIds = false, tag = ID_TAG) {
  const given = valuesByName(headers)
  const isStreamed = typeof body === 'function'
  const content = isStreamed ? withRoomForIds(Buffer.alloc(0), false) : withRoomForIds(toBytes(body), withIds, tag)
  const where = placeOf(path ?? target.path, target, headers)
  const fields = fieldsOf(headers, given, target)
  const saysLength = content.bytes.length > 0 || (METHODS_WITH_BODY.has(method) && !isStreamed)
  if (saysLength && !given.has('content-length')) fields.push(['content-length', String(content.bytes.length)])
  return new StreamRequest({
    method,
    ...where,
    path: withId(where.path, withIds, tag),
    fields: fields.map(([name, value]) => fieldWithId(name, value, withIds, tag)),
    body: content.bytes,
    bodyPlaces: content.places,
    stream: isStreamed ? { source: body, length: given.has('content-length') ? Number(given.get('content-length')) : null } : null,
    closes: target.keepAlive === false,
    traceparent: target.traceparent ?? null
  })
}

// Section 8.3.1. A path that is a whole URL determines the scheme and the authority as well.
function placeOf (path, target, headers) {
  if (ABSOLUTE.test(path) && URL.canParse(path)) {
    const { protocol, host } = new URL(path)
    return { scheme: protocol.slice(0, -1), authority: host, path: path.replace(/^https?:\/\/[^/?]*/i, '').replace(/^(?!\/)/, '/') }
  }
  const host = headers.find(([name]) => name.toLowerCase() === 'host')
  return { scheme: target.secure ? 'https' : 'http', authority: octets(host === undefined ? target.hostHeader : host[1]), path: octets(path) }
}

function fieldsOf (headers, given, target) {
  // Section 8.2.2 with RFC 9110, section 7.6.1: headers named in Connection are connection-specific, too.
  const named = new Set((given.get('connection') ?? '').split(',').map((name) => name.trim()))
  const fields = headers
    .map(([name, value]) => [name.toLowerCase(), trimSpaces(octets(String(value)))])
    .filter(([name]) => !LEFT_OUT.has(name) && !named.has(name))
  if (saysTrailers(given)) fields.push(['te', 'trailers'])
  if (target.authorization && !given.has('authorization')) fields.unshift(['authorization', target.authorization])
  return fields
}

function saysTrailers (given) {
  return (given.get('te') ?? '').split(',').some((coding) => coding.trim() === 'trailers')
}

// Uses Latin-1 if possible and UTF-8 otherwise, as in HTTP/1.1; each character of the result is one octet.
function octets (text) {
  // eslint-disable-next-line no-control-regex
  return /[^\x00-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text
}

function fieldWithId (name, value, withIds, tag) {
  const { bytes, places } = withRoomForIds(Buffer.from(value, 'latin1'), withIds, tag)
  return [name, bytes.toString('latin1'), places]
}

function withId (path, withIds, tag) {
  const { bytes, places } = withRoomForIds(Buffer.from(path, 'latin1'), withIds, tag)
  return places.length === 0 ? path : { value: bytes.toString('latin1'), places }
}

/** The value of `:path` for a path. */
function requestTarget (path) {
  return path
}

module.exports = { encodeRequest, requestTarget, StreamRequest, NONE }
