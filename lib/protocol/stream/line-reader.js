'use strict'

const { LONGEST_EVENT_BYTES } = require('./line-buffer')
const TextReader = require('./text-reader')

/** Reads lines; the counterpart of LineCounter. `onEvent` gets 'line', the text without its line ending, and ''. */
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

  // The end of the body ends its last line.
  end () {
    return this.takeLine(this.rest) ? 1 : 0
  }
}

module.exports = LineReader
