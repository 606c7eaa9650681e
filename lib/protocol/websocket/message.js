'use strict'

const Ids = require('../../world/ids')
const world = require('../../world')
const { toBytes, withRoomForIds, ID_TAG } = require('../shared/ids')
const RequestTrain = require('../shared/request-train')
const BroadcastId = require('./broadcast-id')
const { TEXT, BINARY } = require('./constants')
const { NO_COMPRESSION, deflate } = require('./deflate')
const { encodeFrame, headerLength, maskFrom } = require('./frames')

const ROOM = Buffer.alloc(Ids.LENGTH, '0')
const BROADCAST_ROOM = Buffer.alloc(BroadcastId.LENGTH, '0')
// The body of a broadcast message whose own body has no id placeholder.
const ONLY_ID = `{"id":"${ID_TAG}"}`
const NOWHERE = []

/**
 * One message of the sequence, as an encoded and masked frame. `places` are the positions in the payload that get a new id for
 * each message; if there are any, each message is a modified copy of this frame.
 */
class EncodedMessage {
  /**
   * @param {number} opcode
   * @param {Buffer} payload
   * @param {number[]} places
   * @param {number} windowBits window size for compression; NO_COMPRESSION if it is not compressed
   */
  constructor (opcode, payload, places, windowBits) {
    this.opcode = opcode
    this.payload = payload
    this.places = places
    this.windowBits = windowBits
    /** Length in octets before compression. */
    this.payloadLength = payload.length
    this.start = headerLength(payload.length)
    const isPrepared = !this.isDeflated || places.length === 0
    this.pieces = isPrepared ? [this.frameOf(opcode, payload)] : []
    /** By window size: the same message, compressed. */
    this.deflated = null
    /** Properties of HTTP requests that messages don't use. */
    this.isHead = false
    this.closes = false
    this.stream = null
    /** The result of the user's `match`, if it is always the same; undefined if it has not been called. */
    this.matched = undefined
  }

  get isDeflated () {
    return this.windowBits !== NO_COMPRESSION
  }

  // Creates a frame with this payload, compressed if this message is.
  frameOf (opcode, payload) {
    return this.isDeflated ? encodeFrame(opcode, deflate(payload, this.windowBits), true) : encodeFrame(opcode, payload)
  }

  /** The length of the frame in octets. */
  get length () {
    return this.pieces[0].length
  }

  /** Whether it contains an id. */
  get takesId () {
    return this.places.length > 0
  }

  /** Whether all copies of this message are identical. */
  get isRepeatable () {
    return !this.takesId
  }

  /** Returns the same message, compressed. @param {number} windowBits how far it may refer back */
  compressed (windowBits) {
    this.deflated ??= []
    this.deflated[windowBits] ??= this.compress(windowBits)
    return this.deflated[windowBits]
  }

  compress (windowBits) {
    return new EncodedMessage(this.opcode, this.payload, this.places, windowBits)
  }

  /** The frames to write, with an id if needed. */
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

  /** Returns the payload with this id. */
  payloadWith (id) {
    if (this.places.length === 0) return this.payload
    const payload = Buffer.from(this.payload)
    for (const place of this.places) payload.write(id, place, 'latin1')
    return payload
  }

  /** Returns the content that a user's `match` gets. */
  contentWith (id) {
    const payload = this.payloadWith(id)
    return this.opcode === TEXT ? payload.toString() : payload
  }
}

/**
 * @param {object} request as in the plan; a string body is sent as a text message, bytes as a binary one
 * @param {object} target of the plan; `carriesIds`: whether each message contains an id that identifies its copies
 * @param {boolean} [withIds] replace id placeholders in the body
 * @param {string} [tag] the placeholder for an id
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

/** Prepares the payload of a message, with room for its ids. @returns {{ bytes: Buffer, places: number[] }} */
function withPlaces (bytes, { carriesIds }, withIds, tag) {
  const { bytes: payload, places } = withRoomForIds(bytes, withIds || carriesIds === true, tag, carriesIds ? BROADCAST_ROOM : ROOM)
  return { bytes: payload, places: places.length === 0 ? NOWHERE : places }
}

/*
 * The messages of a sequence, joined for writing like HTTP/1.1 requests. They are joined once for each form in which they are
 * sent, since connections may differ in whether they compress, and with which window size.
 */
class MessageTrain extends RequestTrain {
  /**
   * @param {EncodedMessage[]} messages in the order of the sequence
   * @param {number[]} endpoints the endpoint of the result under which each message is counted
   */
  constructor (messages, endpoints) {
    super(messages, endpoints)
    this.endpointList = endpoints
    this.compressedTrains = []
  }

  /** Returns the same messages, compressed. @param {number} windowBits how far each may refer back */
  compressed (windowBits) {
    this.compressedTrains[windowBits] ??= new RequestTrain(this.requests.map((message) => message.compressed(windowBits)), this.endpointList)
    return this.compressedTrains[windowBits]
  }
}

module.exports = { encodeMessage, EncodedMessage, withPlaces, ONLY_ID, MessageTrain }
