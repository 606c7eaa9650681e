'use strict'

const Ids = require('../../world/ids')
const world = require('../../world')
const { toBytes, withRoomForIds, ID_TAG } = require('../shared/ids')
const BroadcastId = require('./broadcast-id')
const { TEXT, BINARY } = require('./constants')
const { NO_COMPRESSION, deflate } = require('./deflate')
const { encodeFrame, headerLength, maskFrom } = require('./frames')

const ROOM = Buffer.alloc(Ids.LENGTH, '0')
const BROADCAST_ROOM = Buffer.alloc(BroadcastId.LENGTH, '0')
// What a broadcast goes out as where its body has no place for an id.
const ONLY_ID = `{"id":"${ID_TAG}"}`
const NOWHERE = []

/**
 * One message of the sequence, as the frame that goes out: masked and made once. `places` are those in the payload where
 * each sending puts its own id; then the frame is a copy of this one.
 */
class EncodedMessage {
  /**
   * @param {number} opcode
   * @param {Buffer} payload
   * @param {number[]} places
   * @param {number} windowBits how far what is compressed may refer back, NO_COMPRESSION: it is not compressed
   */
  constructor (opcode, payload, places, windowBits) {
    this.opcode = opcode
    this.payload = payload
    this.places = places
    this.windowBits = windowBits
    /** Octets before compression. */
    this.payloadLength = payload.length
    this.start = headerLength(payload.length)
    const isPrepared = !this.isDeflated || places.length === 0
    this.pieces = isPrepared ? [this.frameOf(opcode, payload)] : []
    /** By the window: the same, compressed. */
    this.deflated = null
    /** What a message has not, but a request of HTTP may have. */
    this.isHead = false
    this.closes = false
    this.stream = null
    /** What a user's `match` has made of it, where it is always the same; undefined: it was not asked yet. */
    this.matched = undefined
  }

  get isDeflated () {
    return this.windowBits !== NO_COMPRESSION
  }

  // A frame with this payload, compressed where this message is.
  frameOf (opcode, payload) {
    return this.isDeflated ? encodeFrame(opcode, deflate(payload, this.windowBits), true) : encodeFrame(opcode, payload)
  }

  /** Octets of the frame. */
  get length () {
    return this.pieces[0].length
  }

  /** Whether each sending puts an id into it. */
  get takesId () {
    return this.places.length > 0
  }

  /** Whether it is the same each time that it is sent. */
  get isRepeatable () {
    return !this.takesId
  }

  /** The same, compressed. @param {number} windowBits how far it may refer back */
  compressed (windowBits) {
    this.deflated ??= []
    this.deflated[windowBits] ??= this.compress(windowBits)
    return this.deflated[windowBits]
  }

  compress (windowBits) {
    return new EncodedMessage(this.opcode, this.payload, this.places, windowBits)
  }

  /** The frames to write, with an id where it asks for one. */
  instance (id = this.places.length === 0 ? '' : world.nextId()) {
    if (this.places.length === 0) return this.pieces
    if (this.isDeflated) return [this.frameOf(this.opcode, this.payloadWith(id))]
    const frame = Buffer.from(this.pieces[0])
    for (const place of this.places) {
      const from = this.start + place
      frame.write(id, from, 'latin1')
      maskFrom(frame, this.start, from, from + id.length)
    }
    return [frame]
  }

  /** What is in the frame that has this id. */
  payloadWith (id) {
    if (this.places.length === 0) return this.payload
    const payload = Buffer.from(this.payload)
    for (const place of this.places) payload.write(id, place, 'latin1')
    return payload
  }

  /** What a user's `match` sees of it. */
  contentWith (id) {
    const payload = this.payloadWith(id)
    return this.opcode === TEXT ? payload.toString() : payload
  }
}

/**
 * @param {object} request as in the plan; a body that is a text goes out as a text, bytes go out as they are
 * @param {object} target of the plan; `carriesIds`: each message has an id by which its copies are recognised
 * @param {boolean} [withIds] replace what asks for an id in the body
 * @param {string} [tag] what asks for an id
 * @returns {EncodedMessage}
 */
function encodeMessage ({ body }, target, withIds = false, tag = ID_TAG) {
  const opcode = body === null || body === undefined || typeof body === 'string' ? TEXT : BINARY
  const bytes = toBytes(body)
  if (!target.carriesIds || bytes.includes(tag)) {
    const { bytes: payload, places } = withPlaces(bytes, target, withIds, tag)
    return new EncodedMessage(opcode, payload, places, NO_COMPRESSION)
  }
  const { bytes: payload, places } = withPlaces(Buffer.from(ONLY_ID), target, true, ID_TAG)
  return new EncodedMessage(TEXT, payload, places, NO_COMPRESSION)
}

/** What a message has for a payload, with room where each sending puts its id. @returns {{ bytes: Buffer, places: number[] }} */
function withPlaces (bytes, { carriesIds }, withIds, tag) {
  const { bytes: payload, places } = withRoomForIds(bytes, withIds || carriesIds === true, tag, carriesIds ? BROADCAST_ROOM : ROOM)
  return { bytes: payload, places: places.length === 0 ? NOWHERE : places }
}

module.exports = { encodeMessage, EncodedMessage, withPlaces, ONLY_ID }
