'use strict'

// An event for a hook must fit in memory, together with those of all other connections.
const LONGEST_EVENT_BYTES = 16 * 1024 * 1024
const NO_BYTES = Buffer.alloc(0)

/** Collects bytes that arrive in several packets, until they are complete. */
class LineBuffer {
  constructor () {
    this.clear()
  }

  clear () {
    this.bytes = NO_BYTES
    this.length = 0
  }

  /** Whether more bytes were added than are kept. */
  get isTooLong () {
    return this.length > LONGEST_EVENT_BYTES
  }

  /** Adds the bytes between `start` and `end`, before the buffer is overwritten. */
  add (buffer, start, end) {
    const before = this.length
    this.length += end - start
    if (this.isTooLong) return
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.length, 2 * this.bytes.length))
      this.bytes.copy(larger, 0, 0, before)
      this.bytes = larger
    }
    buffer.copy(this.bytes, before, start, end)
  }

  /** Returns the collected bytes and those between `start` and `end` as text, and clears the buffer. */
  finish (buffer, start, end) {
    if (this.length === 0) return buffer.toString('utf8', start, end)
    this.add(buffer, start, end)
    const text = this.isTooLong ? '' : this.bytes.toString('utf8', 0, this.length)
    this.length = 0
    return text
  }
}

module.exports = { LineBuffer, LONGEST_EVENT_BYTES }
