'use strict'

const { LineBuffer } = require('./line-buffer')

const LF = 10
const NO_BYTES = Buffer.alloc(0)

/**
 * Reads a stream line by line with what is in it, for hooks: the slower twin of a counter, which gives the same numbers. What a line
 * means is for its kinds to say: `takeLine(text)` tells whether it made an event, and `tooLong` is the problem of one that does not end.
 */
class TextReader {
  /** @param {function(string, string, string)} onEvent gets the type, the text and the last id of each event */
  constructor (onEvent) {
    this.onEvent = onEvent
    this.line = new LineBuffer()
    this.begin()
  }

  /** The next stream begins. */
  begin () {
    this.line.clear()
    this.position = 0
    /** Why it cannot be read on, as the end of a sentence about the body; '' where it can. */
    this.problem = ''
  }

  /** See SseCounter.scan. */
  scan (buffer, start, end, most) {
    let events = 0
    let position = start
    while (position < end && this.problem === '') {
      const lineStart = this.startOfLine(buffer, position)
      const lineEnd = this.endOfLine(buffer, lineStart, end)
      position = Math.min(end, lineEnd + 1)
      if (lineEnd === end) {
        this.line.add(buffer, lineStart, end)
        if (this.line.isTooLong) this.problem = this.tooLong
      } else if (this.takeLine(this.line.finish(buffer, lineStart, lineEnd)) && ++events === most) {
        break
      }
    }
    this.position = position
    return events
  }

  startOfLine (buffer, position) {
    return position
  }

  endOfLine (buffer, position, end) {
    while (position < end && buffer[position] !== LF) position++
    return position
  }

  /** What has come of a line that has not ended. */
  get rest () {
    return this.line.finish(NO_BYTES, 0, 0)
  }

  /** The body has ended. @returns {number} how many events it ended with it */
  end () {
    return 0
  }
}

module.exports = TextReader
