'use strict'

const { LineBuffer, LONGEST_EVENT_BYTES } = require('./line-buffer')

const LF = 10
const CR = 13
const BYTE_ORDER_MARK = '\ufeff'
const DONE = '[DONE]'
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

/** Reads server-sent events; the counterpart of SseCounter. */
class SseReader extends TextReader {
  begin () {
    super.begin()
    this.isFirstLine = true
    this.isAfterReturn = false
    this.data = null
    this.type = ''
    this.id = ''
  }

  get tooLong () {
    return `has an event that is longer than the ${LONGEST_EVENT_BYTES} bytes kept for hooks`
  }

  // The line feed after a carriage return does not end another line.
  startOfLine (buffer, position) {
    return this.isAfterReturn && buffer[position] === LF ? position + 1 : position
  }

  endOfLine (buffer, position, end) {
    while (position < end && buffer[position] !== LF && buffer[position] !== CR) position++
    this.isAfterReturn = position < end && buffer[position] === CR
    return position
  }

  takeLine (text) {
    const line = this.isFirstLine && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
    this.isFirstLine = false
    if (line === '') return this.dispatch()
    const colon = line.indexOf(':')
    if (colon === -1) this.takeField(line, '')
    else if (colon > 0) this.takeField(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1))
    return false
  }

  takeField (name, value) {
    if (name === 'data') this.takeData(value)
    else if (name === 'event') this.type = value
    else if (name === 'id' && !value.includes('\0')) this.id = value
  }

  takeData (value) {
    this.data = this.data === null ? value : `${this.data}\n${value}`
    if (this.data.length > LONGEST_EVENT_BYTES) this.problem = this.tooLong
  }

  dispatch () {
    const { data, type, id } = this
    this.data = null
    this.type = ''
    if (data === null || data === DONE) return false
    this.onEvent(type || 'message', data, id)
    return true
  }
}

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

module.exports = { LineReader, SseReader }
