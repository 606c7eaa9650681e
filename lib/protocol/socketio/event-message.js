'use strict'

const DraftTemplate = require('../shared/draft-template')
const { toBytes, ID_TAG } = require('../shared/ids')
const { TEXT, BINARY } = require('../websocket/constants')
const { NO_COMPRESSION } = require('../websocket/deflate')
const { maskFrom } = require('../websocket/frames')
const { EncodedMessage, withPlaces, ONLY_ID } = require('../websocket/message')
const { Packet } = require('./packet')

// Ids of acknowledgements have as many digits as there is room in a frame that was made once.
const FIRST_ACK = 100_000_000
const LAST_ACK = 999_999_999
const ACK_ROOM = '0'.repeat(String(FIRST_ACK).length)
const ONLY_ATTACHMENT = '{"_placeholder":true,"num":0}'
const NOWHERE = -1

/**
 * An event of Socket.IO, as the frames that go out: a text, and behind it what it has for an attachment. Made once: an id
 * and the id of the acknowledgement that it asks for are written into a copy.
 */
class EventMessage extends EncodedMessage {
  /**
   * @param {{ bytes: Buffer, places: number[] }} text the packet, with its places for ids
   * @param {{ ackPlace: number, attachment: ?EncodedMessage, usual: object }} parts `ackPlace` is that in the text for the id of the
   *   acknowledgement, NOWHERE: it asks for none
   * @param {number} windowBits how far what is compressed may refer back, NO_COMPRESSION: it is not compressed
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

  /** The frames to write, with an id and the id of an acknowledgement where it asks for them. */
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

  /** What a user's `match` sees of it: the arguments, as of what comes. */
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
 * What an event begins with: its JSON up to the name's end.
 *
 * @param {{ namespace: string, event: string }} settings
 * @returns {{ namespace: string, name: string, beginning: Buffer }}
 */
function usualEvent ({ namespace, event }) {
  return { namespace, name: event, beginning: Buffer.from(`[${JSON.stringify(event)}`) }
}

/**
 * @param {object} request as in the plan: a body that is a text is JSON, an array of the arguments or the only one; bytes are the only
 *   argument, as an attachment
 * @param {object} target of the plan; `socketio`: how it is spoken, `carriesIds`: each message has an id by which copies are recognised
 * @param {boolean} [withIds] replace what asks for an id in the body
 * @param {string} [tag] what asks for an id
 * @returns {EventMessage}
 * @throws {SyntaxError} where a text is no JSON
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

// Behind the event's name. What is JSON goes out as it was written.
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

/** An event with gaps that each sending fills from a row of the feed. */
class EventTemplate extends DraftTemplate {
  /** @returns {EventMessage} for one sending */
  fill (row) {
    return this.encodeWith(encodeEvent, row)
  }
}

module.exports = { EventTemplate, encodeEvent, usualEvent, FIRST_ACK, LAST_ACK }
