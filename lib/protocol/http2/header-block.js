'use strict'

const { MOST_HEADER_BYTES } = require('./frames')

/** A block may come in so many CONTINUATION frames, at most; they could be empty, without end. */
const MOST_CONTINUATIONS = 64

/** A header block that comes in several frames (RFC 9113, sections 4.3 and 6.10). One of these serves one block after another. */
class HeaderBlock {
  constructor () {
    this.reset()
  }

  reset () {
    /** Of which stream it is; 0: there is none, and a CONTINUATION would be an error. */
    this.streamId = 0
    this.endsStream = false
    this.pieces = []
    this.length = 0
    /** Octets of its frames, with their headers. */
    this.frameBytes = 0
    this.continuations = 0
  }

  begin (streamId, endsStream) {
    this.streamId = streamId
    this.endsStream = endsStream
  }

  /**
   * Keeps a piece.
   *
   * @returns {string} why the block is too large; '' where it is not
   */
  add (buffer, start, end, frameBytes) {
    this.length += end - start
    this.frameBytes += frameBytes
    if (this.length > MOST_HEADER_BYTES) return `a header block is larger than ${MOST_HEADER_BYTES} octets`
    if (end > start) this.pieces.push(Buffer.from(buffer.subarray(start, end)))
    return ''
  }

  continue (buffer, start, end, frameBytes) {
    if (++this.continuations > MOST_CONTINUATIONS) return `a header block has more than ${MOST_CONTINUATIONS} CONTINUATION frames`
    return this.add(buffer, start, end, frameBytes)
  }

  /** All of it; the next one may begin. @returns {Buffer} */
  take () {
    const { pieces } = this
    this.reset()
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }
}

module.exports = { HeaderBlock, MOST_CONTINUATIONS }
