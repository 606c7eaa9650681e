'use strict'

const LF = 10
const CR = 13

/**
 * Counts lines, for example of JSON, however the bytes are split into packets. Each ends with a line feed, a carriage return
 * and a line feed, or the end of the body. Empty lines don't count. Keeps no data and allocates nothing.
 */
class LineCounter {
  constructor () {
    this.begin()
  }

  /** Starts over for the next stream. */
  begin () {
    /** Whether the current line has any text, and whether it consists only of a carriage return so far. */
    this.hasText = false
    this.isReturn = false
    /** The position after the last byte that `scan` has read. */
    this.position = 0
  }

  /** See SseCounter.scan. */
  scan (buffer, start, end, most) {
    let { hasText, isReturn } = this
    let events = 0
    let position = start
    while (position < end) {
      if (hasText) {
        while (position < end && buffer[position] !== LF) position++
        if (position === end) break
      }
      const byte = buffer[position++]
      if (byte === LF) {
        const isLine = hasText
        hasText = isReturn = false
        if (isLine && ++events === most) break
      } else if (byte === CR && !isReturn) {
        isReturn = true
      } else {
        hasText = true
      }
    }
    this.hasText = hasText
    this.isReturn = isReturn
    this.position = position
    return events
  }

  /** Ends the last line together with the body. @returns {number} 1 if there was one, otherwise 0 */
  end () {
    const { hasText } = this
    this.hasText = this.isReturn = false
    return hasText ? 1 : 0
  }
}

module.exports = LineCounter
