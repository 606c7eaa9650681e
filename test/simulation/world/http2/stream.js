'use strict'

const { FLAGS: { END_STREAM, END_HEADERS, PADDED }, HEAD_BYTES, frameOf } = require('./frames')

/**
 * What a server still has to send on one stream, in order: header blocks, and DATA as far as the client's windows permit. It sends
 * through `connection`.
 */
class Http2Stream {
  /**
   * @param {Http2ServerConnection} connection
   * @param {number} id
   * @param {object} entry of the log: the request
   */
  constructor (connection, id, entry) {
    this.connection = connection
    this.id = id
    this.entry = entry
    /** How much it may send before a WINDOW_UPDATE. */
    this.window = connection.streamWindow
    /** The client has reset the stream, but the server doesn't know yet. */
    this.isCancelled = false
    this.hasBegun = false
    /** Bytes of its response: the frames of its head, its body without framing and padding, and the frames of its trailers. */
    this.octets = { head: 0, content: 0, footer: 0 }
    Object.defineProperty(entry, 'octets', { value: this.octets, configurable: true })
    this.queue = []
    /** The connection ends after this many bytes. */
    this.cutAt = Infinity
    this.then = 'end'
    this.said = 0
  }

  /** Adds a header block. @param {string[][]} fields */
  head (fields, isLast = false) {
    this.queue.push({ fields, isLast })
  }

  /** Adds data. @param {number[]} [eventEnds] where events end in it */
  data (content, isLast, eventEnds = []) {
    this.queue.push({ content, from: 0, isLast, eventEnds })
  }

  /** Calls `act` when everything before it has been sent. */
  after (act) {
    this.queue.push({ act })
  }

  /** Sends the next frame, if there is one and the windows permit it. @returns {boolean} whether it did anything */
  sayNext () {
    const [next] = this.queue
    if (next === undefined) return false
    if (next.content !== undefined) return this.sayData(next)
    this.queue.shift()
    if (next.act !== undefined) next.act()
    else this.sayHead(next)
    return true
  }

  sayHead ({ fields, isLast }) {
    const { habits, fieldEncoder } = this.connection
    const block = fieldEncoder.encode(fields)
    const part = this.hasBegun ? 'footer' : 'head'
    this.hasBegun = true
    for (let at = 0; at === 0 || at < block.length; at += habits.blockSize) {
      const isEnd = at + habits.blockSize >= block.length
      const flags = (isEnd ? END_HEADERS : 0) | (at === 0 && isLast ? END_STREAM : 0)
      const piece = block.subarray(at, at + habits.blockSize)
      const padding = at === 0 ? this.connection.paddingFor(habits.blockSize - piece.length) : null
      this.octets[part] += HEAD_BYTES + this.say(at === 0 ? 'HEADERS' : 'CONTINUATION', flags, piece, padding, { isLast: isLast && isEnd })
    }
  }

  // With padding (RFC 9113, section 6.1), the length field of the padding counts, too.
  sayData (next) {
    const { connection } = this
    const { content, from, isLast, eventEnds } = next
    const left = content.length - from
    const most = Math.min(connection.habits.frameSize, this.window, connection.window)
    if (left > 0 && most <= 0) return false
    const length = Math.min(left, most)
    const to = from + length
    const isEnd = to === content.length
    const padding = connection.paddingFor(most - length)
    const piece = content.subarray(from, to)
    const before = HEAD_BYTES + (padding === null ? 0 : 1) - from
    next.from = to
    this.octets.content += length
    if (isEnd) this.queue.shift()
    const taken = this.say('DATA', isEnd && isLast ? END_STREAM : 0, piece, padding, {
      isLast: isEnd && isLast,
      eventEnds: eventEnds.filter((end) => end > from && end <= to).map((end) => end + before)
    })
    this.window -= taken
    connection.window -= taken
    return true
  }

  // @returns {number} the length of its payload
  say (type, flags, content, padding, of) {
    const payload = padding === null ? content : Buffer.concat([Buffer.of(padding), content, Buffer.alloc(padding)])
    const bytes = frameOf(type, flags | (padding === null ? 0 : PADDED), this.id, payload)
    const isCut = this.said + bytes.length > this.cutAt
    const sent = isCut ? bytes.subarray(0, this.cutAt - this.said) : bytes
    this.said += sent.length
    this.connection.speak(this.entry, sent, { type, flags, stream: this.id, payload, length: bytes.length, endsStream: of.isLast }, isCut ? { eventEnds: of.eventEnds?.filter((end) => end <= sent.length) } : of)
    if (isCut) this.connection[this.then]()
    return payload.length
  }
}

module.exports = Http2Stream
