'use strict'

const trimSpaces = require('../../http/white-space')
const Ids = require('../../world/ids')
const { valuesByName, METHODS_WITH_BODY } = require('../http1/request')
const { ID_TAG, toBytes, withRoomForIds } = require('../shared/ids')
const { DATA, HEADERS, CONTINUATION, END_STREAM, END_HEADERS, FRAME_HEADER_BYTES, DEFAULT_FRAME_SIZE } = require('./constants')
const { writeFrameHeader, writeWord } = require('./frames')
const { encodeFields } = require('./hpack/encoder')

// RFC 9113, section 8.2.2: what speaks of a connection is left out. Host is said as :authority.
const LEFT_OUT = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'host', 'te'])
const ABSOLUTE = /^https?:\/\//i
const STREAM_ID_AT = 5
/** Of a request that is none of its target's sequence. */
const NONE = -1

/** One request of HTTP/2. Never changed: a changed one is a new one. */
class StreamRequest {
  /**
   * @param {object} parts
   * @param {string} parts.method
   * @param {string} parts.scheme
   * @param {string} parts.authority
   * @param {string} parts.path
   * @param {Array<[string, string, number[]]>} parts.fields names in lower case, values as Latin-1 octets, and where in
   *   these each sending puts its own id
   * @param {Buffer} parts.body
   * @param {number[]} parts.bodyPlaces where in the body each sending puts its own id
   * @param {?{ source: function, length: ?number }} parts.stream of a body that follows piece by piece
   * @param {boolean} parts.closes whether its connection ends with its response
   */
  constructor (parts) {
    this.parts = parts
    this.body = parts.body
    this.stream = parts.stream
    this.closes = parts.closes
    /** The response to HEAD has no body, whatever its header says. */
    this.isHead = parts.method === 'HEAD'
    /** Which one of its target's sequence it is; see request-set.js. */
    this.index = NONE
  }

  /** All fields, the pseudo-headers first (section 8.3.1). */
  get fields () {
    const { method, scheme, authority, path, fields } = this.parts
    // Section 8.5: CONNECT says only to whom.
    if (method === 'CONNECT') return [[':method', method], [':authority', authority], ...fields]
    const { value, places } = pathWithIds(path)
    return [[':method', method], [':scheme', scheme], [':authority', authority], [':path', value, places], ...fields]
  }

  get hasIds () {
    const { path, fields, bodyPlaces } = this.parts
    return typeof path !== 'string' || bodyPlaces.length > 0 || fields.some(([, , places]) => places.length > 0)
  }

  /** Whether it is the same each time that it is sent. */
  get isRepeatable () {
    return this.stream === null && !this.hasIds
  }

  /** The same request for another path: what hooks change the most. */
  withPath (path) {
    return new StreamRequest({ ...this.parts, path })
  }

  /** Whether nothing follows its header block. */
  get endsWithHead () {
    return this.stream === null && this.body.length === 0
  }

  /**
   * Its frames: the header block, and the body where one DATA frame takes all of it.
   *
   * @param {TableState} state of the connection's table
   * @param {boolean} isRepeated whether fields may be added to the table
   * @param {Buffer} [prefix] stands before the fields in the block
   * @returns {Wire}
   */
  encode (state, isRepeated, prefix) {
    return new Wire(this, encodeFields(this.fields, state, isRepeated), prefix)
  }

  /** Its body with an id filled in. */
  bodyWith (id) {
    const { bodyPlaces } = this.parts
    if (bodyPlaces.length === 0) return this.body
    const body = Buffer.from(this.body)
    for (const place of bodyPlaces) body.write(id, place, 'latin1')
    return body
  }
}

/*
 * The bytes of a request, without what is different each time: the number of its stream, and its id where it asks for one.
 *
 *     HEADERS stream? block (CONTINUATION stream? block)… | DATA stream? body
 *                                                         ^ headLength
 */
class Wire {
  constructor (request, { bytes: block, places, next }, prefix = Buffer.alloc(0)) {
    /** The state of the connection's table behind it. */
    this.next = next
    this.hasBody = request.body.length > 0
    const isWhole = request.stream === null && request.body.length <= DEFAULT_FRAME_SIZE
    /** Octets of the body that follow the header block here; the flow control counts them. */
    this.bodyLength = isWhole ? request.body.length : 0
    this.streamIdPlaces = []
    const pieces = this.frameHead(Buffer.concat([prefix, block]), request.endsWithHead)
    this.headLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
    // Of each id the place of each of its characters: a block may be cut anywhere.
    this.idPlaces = places.map((place) => idCharacters(prefix.length + place).map(placeInFrames))
    if (this.bodyLength > 0) {
      const bodyStart = this.headLength + FRAME_HEADER_BYTES
      this.streamIdPlaces.push(this.headLength + STREAM_ID_AT)
      this.idPlaces.push(...request.parts.bodyPlaces.map((place) => idCharacters(bodyStart + place)))
      pieces.push(frameHeader(request.body.length, DATA, END_STREAM), request.body)
    }
    this.bytes = Buffer.concat(pieces)
    this.length = this.bytes.length
    /** Copying few bytes one by one is cheaper than having them copied. */
    this.isShort = this.length <= 64
  }

  // Section 6.2 and 6.10: what does not fit into one frame goes on in others.
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
   * @param {string} id for the places that ask for one
   * @param {boolean} withBody whether what is here of the body is written as well
   * @returns {number} the position behind it
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
}

function frameHeader (length, type, flags) {
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES)
  writeFrameHeader(header, 0, length, type, flags, 0)
  return header
}

function idCharacters (place) {
  return Array.from({ length: Ids.LENGTH }, (_, index) => place + index)
}

// Where an octet of the block stands behind the headers of its frames.
function placeInFrames (place) {
  return place + FRAME_HEADER_BYTES * (Math.floor(place / DEFAULT_FRAME_SIZE) + 1)
}

function pathWithIds (path) {
  return typeof path === 'string' ? { value: path, places: [] } : path
}

/**
 * @param {object} request as in the plan
 * @param {string} request.method
 * @param {?string} request.path null for the target's own
 * @param {[string, string][]} request.headers what the user gives replaces what would be added here
 * @param {string|Uint8Array|function|null} request.body a function gives a stream for each sending
 * @param {object} target of the plan
 * @param {boolean} [withIds] replace what asks for an id in path, headers and body, but not in a stream
 * @param {string} [tag] what asks for an id
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
    closes: target.keepAlive === false
  })
}

// Section 8.3.1. A path that is a whole URL says it all itself.
function placeOf (path, target, headers) {
  if (ABSOLUTE.test(path) && URL.canParse(path)) {
    const { protocol, host } = new URL(path)
    return { scheme: protocol.slice(0, -1), authority: host, path: path.replace(/^https?:\/\/[^/?]*/i, '').replace(/^(?!\/)/, '/') }
  }
  const host = headers.find(([name]) => name.toLowerCase() === 'host')
  return { scheme: target.secure ? 'https' : 'http', authority: octets(host === undefined ? target.hostHeader : host[1]), path: octets(path) }
}

function fieldsOf (headers, given, target) {
  // Section 8.2.2 with RFC 9110, section 7.6.1: what Connection names is of the connection as well.
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

// What Latin-1 can say goes as Latin-1, all else as UTF-8, as in HTTP/1.1. A character for each octet.
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

/** What stands for a path in `:path`. */
function requestTarget (path) {
  return path
}

module.exports = { encodeRequest, requestTarget, StreamRequest, NONE }
