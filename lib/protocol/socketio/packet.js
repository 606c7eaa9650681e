'use strict'

/** Engine.IO 4 packet types, the first octet of each message. */
const ENGINE = { OPEN: 0x30, CLOSE: 0x31, PING: 0x32, PONG: 0x33, MESSAGE: 0x34, NOOP: 0x36 }

/** Socket.IO 5 packet types (the protocol of Socket.IO 4), the octet after that of an Engine.IO message. */
const CONNECT = 0x30
const DISCONNECT = 0x31
const EVENT = 0x32
const ACK = 0x33
const CONNECT_ERROR = 0x34
const BINARY_EVENT = 0x35
const BINARY_ACK = 0x36

const DASH = 0x2d
const SLASH = 0x2f
const COMMA = 0x2c
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const QUOTE = 0x22
const SPACE = 0x20
const ZERO = 0x30
const NINE = 0x39
const NO_ID = -1
const MOST_DIGITS = 15
const MOST_ATTACHMENTS = 65536
const NOTHING = Buffer.alloc(0)

/*
 * One Socket.IO packet in a WebSocket text message. It is parsed as JSON only if necessary:
 *
 *     4   5      2-           /chat,      17    ["event",{"_placeholder":true,"num":0},…]
 *         type   attachments  namespace   id    payload
 *
 * Each object is reused for one packet after another.
 */
class Packet {
  /** @param {string} namespace of the connection */
  constructor (namespace) {
    this.namespace = Buffer.from(namespace)
    this.begin(NOTHING, 0, 0, 0)
  }

  begin (buffer, start, end, firstByteAt) {
    this.buffer = buffer
    this.start = start
    this.end = end
    this.firstByteAt = firstByteAt
    this.type = 0
    /** Whether it belongs to the connection's namespace. */
    this.isOurs = true
    this.id = NO_ID
    /** Where the JSON begins. */
    this.payload = end
    /** How many attachments it has, and those that have arrived; null for each that nobody needs. */
    this.attachmentCount = 0
    this.attachments = []
    /** Its length in octets, including attachments. */
    this.length = end - start
  }

  /** Whether it is the acknowledgement of an event. */
  get isAck () {
    return this.type === ACK || this.type === BINARY_ACK
  }

  get isEvent () {
    return this.type === EVENT || this.type === BINARY_EVENT
  }

  /** Whether all its attachments have arrived. */
  get isWhole () {
    return this.attachments.length === this.attachmentCount
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start where the Engine.IO packet begins
   * @param {number} end
   * @param {number} firstByteAt when it began to arrive, ms
   * @returns {string} why it is invalid; '' if it is valid
   */
  read (buffer, start, end, firstByteAt) {
    this.begin(buffer, start, end, firstByteAt)
    let position = start + 2
    if (position > end) return 'a packet without a type'
    this.type = buffer[start + 1]
    if (this.type < CONNECT || this.type > BINARY_ACK) return `a packet of the unknown type ${this.type}`
    if (this.type >= BINARY_EVENT) {
      const behind = this.digitsFrom(position)
      if (behind === position || buffer[behind] !== DASH || behind >= end) return 'a binary packet that does not say how many attachments it has'
      this.attachmentCount = this.numberBetween(position, behind)
      if (this.attachmentCount > MOST_ATTACHMENTS) return `a packet with more than ${MOST_ATTACHMENTS} attachments`
      position = behind + 1
    }
    position = this.readNamespace(position)
    const behind = this.digitsFrom(position)
    if (behind - position > MOST_DIGITS) return 'a packet whose id is too large'
    if (behind > position) this.id = this.numberBetween(position, behind)
    this.payload = behind
    return this.problemOfPayload()
  }

  readNamespace (start) {
    const { buffer, end, namespace } = this
    if (start >= end || buffer[start] !== SLASH) {
      this.isOurs = namespace.length === 1
      return start
    }
    let comma = start
    while (comma < end && buffer[comma] !== COMMA) comma++
    this.isOurs = comma - start === namespace.length && buffer.compare(namespace, 0, namespace.length, start, comma) === 0
    return Math.min(end, comma + 1)
  }

  problemOfPayload () {
    const { buffer, payload, end } = this
    if (!this.isEvent && !this.isAck) return ''
    if (payload >= end - 1 || buffer[payload] !== ARRAY || buffer[end - 1] !== ARRAY_END) return 'an event or an acknowledgement without an array of arguments'
    if (this.isAck) return this.id === NO_ID ? 'an acknowledgement of nothing that was sent' : ''
    return this.hasName ? '' : 'an event without a name'
  }

  // An event's name, its first argument, is a string or a number.
  get hasName () {
    let position = this.payload + 1
    while (this.buffer[position] <= SPACE) position++
    const { buffer: { [position]: first } } = this
    return first === QUOTE || first === DASH || (first >= ZERO && first <= NINE)
  }

  digitsFrom (start) {
    let position = start
    while (position < this.end && this.buffer[position] >= ZERO && this.buffer[position] <= NINE) position++
    return position
  }

  numberBetween (start, end) {
    let value = 0
    for (let position = start; position < end; position++) value = value * 10 + this.buffer[position] - ZERO
    return value
  }

  /** Copies its bytes, before the receive buffer is reused. */
  keep () {
    this.buffer = Buffer.from(this.buffer.subarray(this.start, this.end))
    this.payload -= this.start
    this.end -= this.start
    this.start = 0
  }

  /** Adds an attachment. @param {?Buffer} bytes a copy; null if nobody needs it @param {number} length */
  attach (bytes, length) {
    this.attachments.push(bytes)
    this.length += length
  }

  /** Whether it is an event with this beginning: `["name"`. */
  beginsWith (beginning) {
    const { buffer, payload, end } = this
    const behind = payload + beginning.length
    if (!this.isEvent || behind >= end || buffer.compare(beginning, 0, beginning.length, payload, behind) !== 0) return false
    return buffer[behind] === COMMA || buffer[behind] === ARRAY_END
  }

  /** @returns {*} its JSON, parsed; undefined if there is none @throws {SyntaxError} */
  parse () {
    return this.payload === this.end ? undefined : JSON.parse(this.buffer.toString('utf8', this.payload, this.end))
  }

  /**
   * Returns an event's name (null for an acknowledgement), and the arguments as JSON text, in which attachments appear as
   * JSON.stringify writes a Buffer.
   *
   * @param {{ name: string, beginning: Buffer }} usual the most frequent event, whose JSON is used without parsing it
   * @returns {{ event: ?string, text: string }}
   * @throws {Error} if the content is invalid
   */
  content ({ name, beginning }) {
    const { buffer, payload, end } = this
    if (this.type === ACK) return { event: null, text: buffer.toString('utf8', payload, end) }
    if (this.type === EVENT && this.beginsWith(beginning)) {
      const behind = payload + beginning.length
      return { event: name, text: buffer[behind] === COMMA ? `[${buffer.toString('utf8', behind + 1, end)}` : '[]' }
    }
    const values = this.parse()
    const event = this.isAck ? null : values.shift()
    return { event: event === null ? null : String(event), text: JSON.stringify(values, (key, value) => this.withAttachment(value)) }
  }

  withAttachment (value) {
    if (this.attachmentCount === 0 || value?._placeholder !== true) return value
    const { [value.num]: bytes } = this.attachments
    if (!Buffer.isBuffer(bytes)) throw new TypeError('a placeholder for a missing attachment')
    return bytes.toJSON()
  }

  /** All its octets, which may contain an id. */
  get bytes () {
    return Buffer.concat([this.buffer.subarray(this.start, this.end), ...this.attachments])
  }
}

module.exports = { Packet, ENGINE, CONNECT, DISCONNECT, CONNECT_ERROR }
