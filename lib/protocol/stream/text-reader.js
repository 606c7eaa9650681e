'use strict'

const { LineBuffer } = require('./line-buffer')

const LF = 10
const NO_BYTES = Buffer.alloc(0)

/**
 * Reads a stream line by line, with its content, for hooks: slower than the corresponding counter, but with the same counts.
 * Subclasses interpret the lines: `takeLine(text)` returns whether the line completed an event, and `tooLong` describes the
 * problem of an event that does not end.
 */
class TextReader {
  /** @param {function(string, string, string)} onEvent gets the type, the text and the last id of each event */
  constructor (onEvent) {
    this.onEvent = onEvent
    this.line = new LineBuffer()
    this.begin()
  }

  /** Starts over for the next stream. */
  begin () {
    this.line.clear()
    this.position = 0
    /** Why reading failed, as the end of a sentence about the body; '' if it did not. */
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

  /** The text so far of a line that has not ended. */
  get rest () {
    return this.line.finish(NO_BYTES, 0, 0)
  }

  /** Handles the end of the body. @returns {number} how many events this completes */
  end () {
    return 0
  }
}

module.exports = TextReader
