'use strict'

const LF = 10
const CR = 13

/**
 * Counts lines, such as those of JSON, whatever way the bytes are cut into packets: each ends with a line feed, or a carriage
 * return and a line feed, or with the body. An empty one is none. Nothing is kept, and nothing allocated.
 */
class LineCounter {
  constructor () {
    this.begin()
  }

  /** The next stream begins. */
  begin () {
    /** Whether the line that is on has anything in it, and whether all there is is a carriage return. */
    this.hasText = false
    this.isReturn = false
    /** Behind the last byte that `scan` has read. */
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

  /** The body has ended, and with it its last line. @returns {number} 1 where there was one, else 0 */
  end () {
    const { hasText } = this
    this.hasText = this.isReturn = false
    return hasText ? 1 : 0
  }
}

module.exports = LineCounter
