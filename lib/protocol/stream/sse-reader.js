'use strict'

const { LineBuffer, LONGEST_EVENT_BYTES } = require('./line-buffer')

const LF = 10
const CR = 13
const BYTE_ORDER_MARK = '\ufeff'
const DONE = '[DONE]'

/**
 * Reads server-sent events with all that is in them, for hooks: the slower twin of SseCounter, which gives the same numbers.
 */
class SseReader {
  /** @param {function(string, string, string)} onEvent gets the type, the data and the last id of each event */
  constructor (onEvent) {
    this.onEvent = onEvent
    this.line = new LineBuffer()
    this.begin()
  }

  /** The next stream begins. */
  begin () {
    this.line.clear()
    this.isFirstLine = true
    this.isAfterReturn = false
    this.data = null
    this.type = ''
    this.id = ''
    this.position = 0
    /** Why it cannot be read on, as the end of a sentence about the body; '' where it can. */
    this.problem = ''
  }

  /** See SseCounter.scan. */
  scan (buffer, start, end, most) {
    let events = 0
    let position = start
    while (position < end && this.problem === '') {
      if (this.isAfterReturn && buffer[position] === LF) start = ++position
      this.isAfterReturn = false
      while (position < end && buffer[position] !== LF && buffer[position] !== CR) position++
      if (position === end) {
        this.line.add(buffer, start, end)
        if (this.line.isTooLong) this.fail()
        break
      }
      this.isAfterReturn = buffer[position] === CR
      const isEvent = this.takeLine(this.line.finish(buffer, start, position))
      start = ++position
      if (isEvent && ++events === most) break
    }
    this.position = position
    return events
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
    if (this.data.length > LONGEST_EVENT_BYTES) this.fail()
  }

  dispatch () {
    const { data, type, id } = this
    this.data = null
    this.type = ''
    if (data === null || data === DONE) return false
    this.onEvent(type || 'message', data, id)
    return true
  }

  fail () {
    this.problem = `has an event that is longer than the ${LONGEST_EVENT_BYTES} bytes that are kept for hooks`
  }

  end () {
    return 0
  }
}

module.exports = SseReader
