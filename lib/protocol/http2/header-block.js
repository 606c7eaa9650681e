'use strict'

const { MOST_HEADER_BYTES } = require('./frames')

/** The maximum number of CONTINUATION frames per block. Without a limit, a server could send empty ones forever. */
const MOST_CONTINUATIONS = 64

/**
 * A header block that is split into several frames (RFC 9113, sections 4.3 and 6.10). Each object is reused for one block after
 * another.
 */
class HeaderBlock {
  constructor () {
    this.reset()
  }

  reset () {
    /** The block's stream; 0 if no block has begun, so that a CONTINUATION would be an error. */
    this.streamId = 0
    this.endsStream = false
    this.pieces = []
    this.length = 0
    /** The length of its frames in octets, including their headers. */
    this.frameBytes = 0
    this.continuations = 0
  }

  begin (streamId, endsStream) {
    this.streamId = streamId
    this.endsStream = endsStream
  }

  /**
   * Adds a piece of the block.
   *
   * @returns {string} why the block is too large; '' if it is not
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

  /** Returns the whole block and resets this object for the next. @returns {Buffer} */
  take () {
    const { pieces } = this
    this.reset()
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }
}

module.exports = { HeaderBlock, MOST_CONTINUATIONS }
