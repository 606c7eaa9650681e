'use strict'

const { LONGEST_EVENT_BYTES } = require('./line-buffer')
const TextReader = require('./text-reader')

/** Reads lines: the twin of LineCounter. `onEvent` gets 'line', the text without its end, and '' for each. */
class LineReader extends TextReader {
  get tooLong () {
    return `has a line that is longer than the ${LONGEST_EVENT_BYTES} bytes kept for hooks`
  }

  takeLine (text) {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (line === '') return false
    this.onEvent('line', line, '')
    return true
  }

  // With the body its last line has ended.
  end () {
    return this.takeLine(this.rest) ? 1 : 0
  }
}

module.exports = LineReader
