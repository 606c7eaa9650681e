'use strict'

const { decodeBody } = require('../http/content-coding')

// A body that is not read takes no memory, whatever its size. Bodies for hooks must fit in memory, individually and for all
// connections together.
const LONGEST_BODY_BYTES = 128 * 1024 * 1024
const MOST_BYTES = 512 * 1024 * 1024
const NO_BYTES = Buffer.alloc(0)

// How much the connections of this thread keep in total.
const SHARED = { kept: 0, most: MOST_BYTES }

/** The body of a response that is read, while it arrives. Each object is reused for one response after another. */
class ReceivedBody {
  /** @param {{ kept: number, most: number }} [budget] bytes, shared with others */
  constructor (budget = SHARED) {
    this.budget = budget
    this.buffer = NO_BYTES
    this.begin('')
  }

  /** @param {string} coding the Content-Encoding of the response, '' for none */
  begin (coding) {
    this.coding = coding
    this.length = 0
    /** What has arrived, with room for more. */
    this.keep(NO_BYTES)
    this.text = null
    /** Why the body cannot be kept or decoded; the end of a sentence about it. */
    this.problem = null
  }

  /**
   * Adds the bytes between `start` and `end`, before the buffer is overwritten.
   *
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end
   * @param {boolean} isTextEnough whether this is the whole body, and only its text is needed
   */
  add (buffer, start, end, isTextEnough) {
    this.length += end - start
    if (this.length > LONGEST_BODY_BYTES) {
      this.problem = `is longer than the ${LONGEST_BODY_BYTES} bytes kept for hooks`
    } else if (isTextEnough && this.length === end - start && this.coding === '') {
      this.text = buffer.toString('utf8', start, end)
    } else if (this.length > this.buffer.length && this.budget.kept + this.growth > this.budget.most) {
      this.problem = `is too long to be kept for hooks: all connections together may keep ${this.budget.most} bytes`
    } else {
      // Copied into one growing buffer: with chunks of one byte each, a list would take a hundred times their size.
      if (this.length > this.buffer.length) this.grow()
      buffer.copy(this.buffer, this.length - (end - start), start, end)
    }
  }

  get growth () {
    return Math.max(this.length, 2 * this.buffer.length) - this.buffer.length
  }

  grow () {
    const larger = Buffer.allocUnsafe(this.buffer.length + this.growth)
    this.buffer.copy(larger)
    this.keep(larger)
  }

  keep (buffer) {
    this.budget.kept += buffer.length - this.buffer.length
    this.buffer = buffer
  }

  /**
   * Returns the whole body, decoded from its Content-Encoding; if decoding fails, the body as received, with the reason in
   * `problem`.
   *
   * @returns {{ bytes: Buffer, text: string, problem: ?string }} `bytes` is empty if only the text was needed
   */
  finish () {
    if (this.text !== null) return { bytes: NO_BYTES, text: this.text, problem: null }
    let bytes = this.buffer.subarray(0, this.length)
    if (this.coding !== '' && this.length > 0) bytes = this.decode(bytes)
    return { bytes, text: bytes.toString(), problem: this.problem }
  }

  decode (bytes) {
    try {
      return decodeBody(bytes, this.coding, LONGEST_BODY_BYTES)
    } catch (error) {
      this.problem = error.message
      return bytes
    }
  }
}

module.exports = ReceivedBody
