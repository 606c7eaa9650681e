'use strict'

const { LineBuffer, LONGEST_EVENT_BYTES } = require('./line-buffer')

const LF = 10
const NO_BYTES = Buffer.alloc(0)

/** Reads lines with what is in them, for hooks: the slower twin of LineCounter, which gives the same numbers. */
class LineReader {
  /** @param {function(string, string, string)} onEvent gets 'line', the text without its end, and '' for each */
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
      let lineEnd = position
      while (lineEnd < end && buffer[lineEnd] !== LF) lineEnd++
      if (lineEnd === end) {
        this.line.add(buffer, position, end)
        if (this.line.isTooLong) this.problem = `has a line that is longer than the ${LONGEST_EVENT_BYTES} bytes that are kept for hooks`
        position = end
        break
      }
      const isLine = this.takeLine(this.line.finish(buffer, position, lineEnd))
      position = lineEnd + 1
      if (isLine && ++events === most) break
    }
    this.position = position
    return events
  }

  takeLine (text) {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (line === '') return false
    this.onEvent('line', line, '')
    return true
  }

  /** The body has ended, and with it its last line. @returns {number} 1 where there was one, else 0 */
  end () {
    return this.takeLine(this.line.finish(NO_BYTES, 0, 0)) ? 1 : 0
  }
}

module.exports = LineReader
