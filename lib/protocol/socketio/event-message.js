'use strict'

const { toBytes, ID_TAG } = require('../shared/ids')
const { TEXT, BINARY } = require('../websocket/constants')
const { NO_COMPRESSION } = require('../websocket/deflate')
const { maskFrom } = require('../websocket/frames')
const { EncodedMessage, withPlaces, ONLY_ID } = require('../websocket/message')
const { Packet } = require('./packet')

// Acknowledgement ids always have nine digits, so that they fit into a frame that is encoded once.
const FIRST_ACK = 100_000_000
const LAST_ACK = 999_999_999
const ACK_ROOM = '0'.repeat(String(FIRST_ACK).length)
const ONLY_ATTACHMENT = '{"_placeholder":true,"num":0}'
const NOWHERE = -1

/**
 * A Socket.IO event as WebSocket frames: a text, followed by its attachment, if any. It is encoded once; its id and its
 * acknowledgement id are written into a copy.
 */
class EventMessage extends EncodedMessage {
  /**
   * @param {{ bytes: Buffer, places: number[] }} text the packet, with the positions of its ids
   * @param {{ ackPlace: number, attachment: ?EncodedMessage, usual: object }} parts `ackPlace` is the position of the
   *   acknowledgement id in the text, or NOWHERE if it requests none
   * @param {number} windowBits window size for compression; NO_COMPRESSION if it is not compressed
   */
  constructor (text, parts, windowBits) {
    super(TEXT, text.bytes, text.places, windowBits)
    const { ackPlace, attachment } = parts
    this.parts = parts
    this.ackPlace = ackPlace
    this.attachment = this.isDeflated && attachment !== null ? attachment.compressed(windowBits) : attachment
    this.payloadLength += attachment === null ? 0 : attachment.payloadLength
    this.frame = this.isDeflated ? null : this.pieces[0]
    if (this.isRepeatable && attachment !== null) this.pieces = [Buffer.concat([...this.pieces, ...this.attachment.pieces])]
  }

  get takesId () {
    return this.places.length > 0 || (this.attachment !== null && this.attachment.takesId)
  }

  get isRepeatable () {
    return !this.takesId && this.ackPlace === NOWHERE
  }

  compress (windowBits) {
    return new EventMessage({ bytes: this.payload, places: this.places }, this.parts, windowBits)
  }

  /** The frames to write, with an id and an acknowledgement id if needed. */
  instance (id, ack = '') {
    if (this.isRepeatable) return this.pieces
    const frame = this.isDeflated ? this.frameOf(TEXT, this.textWith(id, ack)) : this.frameWith(id, ack)
    return this.attachment === null ? [frame] : [frame, ...this.attachment.instance(id)]
  }

  frameWith (id, ack) {
    const frame = Buffer.from(this.frame)
    for (const place of this.places) this.writeInto(frame, id, place)
    if (this.ackPlace !== NOWHERE) this.writeInto(frame, ack, this.ackPlace)
    return frame
  }

  writeInto (frame, text, place) {
    const from = this.start + place
    frame.write(text, from, 'latin1')
    maskFrom(frame, this.start, from, from + text.length)
  }

  textWith (id, ack) {
    const text = Buffer.from(this.payloadWith(id))
    if (this.ackPlace !== NOWHERE) text.write(ack, this.ackPlace, 'latin1')
    return text
  }

  /** Its arguments as a user's `match` sees them, in the same form as those of received events. */
  contentWith (id) {
    const { usual } = this.parts
    const text = this.payloadWith(id)
    const packet = new Packet(usual.namespace)
    packet.read(text, 0, text.length, 0)
    if (this.attachment !== null) packet.attach(this.attachment.payloadWith(id), 0)
    return packet.content(usual).text
  }
}

/**
 * The beginning of an event's JSON, up to the end of its name.
 *
 * @param {{ namespace: string, event: string }} settings
 * @returns {{ namespace: string, name: string, beginning: Buffer }}
 */
function usualEvent ({ namespace, event }) {
  return { namespace, name: event, beginning: Buffer.from(`[${JSON.stringify(event)}`) }
}

/**
 * @param {object} request as in the plan: a text body is JSON, either an array of the arguments or the only argument; a body of
 *   bytes is the only argument, as an attachment
 * @param {object} target of the plan; `socketio`: its settings, `carriesIds`: whether each message contains an id that identifies
 *   its copies
 * @param {boolean} [withIds] replace id placeholders in the body
 * @param {string} [tag] the placeholder for an id
 * @returns {EventMessage}
 * @throws {SyntaxError} if a text body is not JSON
 */
function encodeEvent ({ body }, target, withIds = false, tag = ID_TAG) {
  if (target.carriesIds && !toBytes(body).includes(tag)) return encodeEvent({ body: ONLY_ID.replace(ID_TAG, tag) }, target, true, tag)
  const { socketio } = target
  const usual = usualEvent(socketio)
  const isBinary = body !== null && body !== undefined && typeof body !== 'string'
  const head = `4${isBinary ? '51-' : '2'}${socketio.namespace === '/' ? '' : `${socketio.namespace},`}`
  const json = isBinary ? `,${ONLY_ATTACHMENT}` : argumentsOf(body)
  const text = `${head}${socketio.acknowledges ? ACK_ROOM : ''}${usual.beginning}${json}]`
  const attachment = isBinary ? withPlaces(toBytes(body), target, withIds, tag) : null
  return new EventMessage(withPlaces(Buffer.from(text), target, withIds, tag), {
    ackPlace: socketio.acknowledges ? Buffer.byteLength(head) : NOWHERE,
    attachment: attachment === null ? null : new EncodedMessage(BINARY, attachment.bytes, attachment.places, NO_COMPRESSION),
    usual
  }, NO_COMPRESSION)
}

// The JSON after the event's name. A body that is JSON is sent unchanged.
function argumentsOf (body) {
  if (body === null || body === undefined || body === '') return ''
  let value
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw new SyntaxError(`the body of a message of Socket.IO has to be JSON: ${error.message}`)
  }
  if (!Array.isArray(value)) return `,${body.trim()}`
  return value.length === 0 ? '' : `,${body.trim().slice(1, -1)}`
}

module.exports = { encodeEvent, usualEvent, FIRST_ACK, LAST_ACK }
