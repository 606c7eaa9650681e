'use strict'

const { LONGEST_EVENT_BYTES } = require('./line-buffer')
const TextReader = require('./text-reader')

const LF = 10
const CR = 13
const BYTE_ORDER_MARK = '\ufeff'
const DONE = '[DONE]'

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

module.exports = SseReader
