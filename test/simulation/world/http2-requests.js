'use strict'

const { DATA, HEADERS, RST_STREAM, SETTINGS, ACK, END_STREAM, FRAME_HEADER_BYTES } = require('../../../lib/protocol/http2/constants')
const { MAGIC } = require('../../../lib/protocol/http2/frames')
const HeaderDecoder = require('../../../lib/protocol/http2/hpack/decoder')

const LARGEST_BLOCK = 2 ** 20
const THAT_MATTER = new Set([DATA, HEADERS, RST_STREAM, SETTINGS])

/** As Requests, of a connection with HTTP/2: the frames that a client writes. A request is sent with its HEADERS. */
class Http2Requests {
  constructor () {
    this.rest = Buffer.alloc(0)
    this.hasMagic = false
    this.written = 0
    this.arrived = 0
    this.decoder = new HeaderDecoder(LARGEST_BLOCK)
    /** The requests by their streams. */
    this.byStream = new Map()
    this.onTheirWay = []
  }

  /** @returns {object[]} the requests whose HEADERS are in these bytes */
  read (bytes, now) {
    const begun = []
    this.rest = Buffer.concat([this.rest, bytes])
    this.written += bytes.length
    if (!this.hasMagic) {
      if (this.rest.length < MAGIC.length) return begun
      this.hasMagic = true
      this.rest = this.rest.subarray(MAGIC.length)
    }
    while (this.rest.length >= FRAME_HEADER_BYTES && this.rest.length >= FRAME_HEADER_BYTES + this.rest.readUIntBE(0, 3)) {
      const end = FRAME_HEADER_BYTES + this.rest.readUIntBE(0, 3)
      const frame = { type: this.rest[3], isAck: (this.rest[4] & ACK) !== 0, endsStream: (this.rest[4] & END_STREAM) !== 0, stream: this.rest.readUInt32BE(5) }
      if (frame.type === DATA) frame.payload = Buffer.from(this.rest.subarray(FRAME_HEADER_BYTES, end))
      if (frame.type === HEADERS) begun.push(this.begin(frame, end, now))
      if (frame.type === RST_STREAM) this.cancel(frame.stream, this.rest.readUInt32BE(FRAME_HEADER_BYTES), now)
      this.rest = this.rest.subarray(end)
      frame.end = this.written - this.rest.length
      if (THAT_MATTER.has(frame.type)) this.onTheirWay.push(frame)
    }
    return begun
  }

  begin (frame, end, now) {
    this.decoder.decode(this.rest, FRAME_HEADER_BYTES, end)
    const { fields } = this.decoder
    const field = (name) => fields[fields.indexOf(name) + 1]
    Object.assign(frame, { sentAt: now, method: field(':method'), path: field(':path') })
    this.byStream.set(frame.stream, frame)
    return frame
  }

  // Whatever comes of it now, nobody reads.
  cancel (stream, code, now) {
    const request = this.byStream.get(stream)
    if (request !== undefined) Object.assign(request.entry, { cancelledAt: now, cancelledWith: code })
  }

  arrive (length) {
    this.arrived += length
    const whole = []
    while (this.onTheirWay.length > 0 && this.onTheirWay[0].end <= this.arrived) whole.push(this.onTheirWay.shift())
    return whole
  }
}

module.exports = Http2Requests
