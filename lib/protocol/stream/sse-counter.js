'use strict'

const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const NAME = Buffer.from('data')
// Language-model APIs send this to end a stream; it is not an event.
const DONE = Buffer.from('[DONE]')
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

// The states: what the next byte belongs to.
const MARK = 0
const LINE_START = 1
const LINE_START_AFTER_CR = 2
const FIELD_NAME = 3
const VALUE_START = 4
const VALUE = 5
const REST = 6

/**
 * Counts server-sent events as the WHATWG standard dispatches them ("Interpreting an event stream"), however the bytes are
 * split into packets. It looks only at what determines whether there is an event (field names, empty lines, and whether the
 * data is `[DONE]`) and skips everything else. Keeps no data and allocates nothing.
 */
class SseCounter {
  constructor () {
    this.begin()
  }

  /** Starts over for the next stream. */
  begin () {
    this.state = MARK
    /** How many bytes of the field name, or of the byte order mark, match so far. */
    this.matched = 0
    /** For the current event: how many lines of data it has, and whether the last one is `[DONE]`. */
    this.dataLines = 0
    this.isDone = false
    /** For the current line of data: how many bytes of `[DONE]` match so far. */
    this.doneMatched = 0
    /** The position after the last byte that `scan` has read. */
    this.position = 0
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end
   * @param {number} most how many events to read at most
   * @returns {number} how many events were completed; `position` is the position after the last byte read
   */
  scan (buffer, start, end, most) {
    let { state } = this
    let events = 0
    let position = start
    while (position < end) {
      if (state === REST) {
        position = endOfLine(buffer, position, end)
        if (position === end) break
      }
      const byte = buffer[position++]
      if (byte !== LF && byte !== CR) {
        state = this.takeByte(state, byte)
        continue
      }
      const isBlank = state === LINE_START || state === LINE_START_AFTER_CR
      if (byte === LF && state === LINE_START_AFTER_CR) {
        state = LINE_START
        continue
      }
      if (!isBlank) this.endLine(state)
      state = byte === CR ? LINE_START_AFTER_CR : LINE_START
      if (isBlank && this.dispatch() && ++events === most) break
    }
    this.state = state
    this.position = position
    return events
  }

  // Handles one byte within a line. @returns {number} the next state
  takeByte (state, byte) {
    switch (state) {
      case MARK:
        if (byte === BYTE_ORDER_MARK[this.matched]) return ++this.matched === BYTE_ORDER_MARK.length ? LINE_START : MARK
        return this.matched === 0 ? this.beginName(byte) : REST
      case LINE_START:
      case LINE_START_AFTER_CR:
        return this.beginName(byte)
      case FIELD_NAME:
        if (this.matched < NAME.length) return byte === NAME[this.matched++] ? FIELD_NAME : REST
        return byte === COLON ? VALUE_START : REST
      case VALUE_START:
        this.doneMatched = 0
        return byte === SPACE ? VALUE : this.takeValue(byte)
      default:
        return this.takeValue(byte)
    }
  }

  beginName (byte) {
    this.matched = 1
    this.doneMatched = 0
    return byte === NAME[0] ? FIELD_NAME : REST
  }

  takeValue (byte) {
    if (byte === DONE[this.doneMatched]) {
      this.doneMatched++
      return VALUE
    }
    // The value is not `[DONE]`, so it counts as data, and the rest can be skipped.
    this.endData(false)
    return REST
  }

  // Handles the end of a line in this state; a data line whose rest was skipped has been counted already.
  endLine (state) {
    if (state === VALUE) this.endData(this.doneMatched === DONE.length)
    else if (state === VALUE_START || (state === FIELD_NAME && this.matched === NAME.length)) this.endData(false)
  }

  endData (isDone) {
    this.dataLines++
    this.isDone = isDone
  }

  // Handles an empty line. @returns {boolean} whether it completes an event
  dispatch () {
    const isEvent = this.dataLines > 1 || (this.dataLines === 1 && !this.isDone)
    this.dataLines = 0
    return isEvent
  }

  /** Handles the end of the stream: an event without an empty line after it is discarded. */
  end () {
    return 0
  }
}

function endOfLine (buffer, position, end) {
  while (position < end) {
    const byte = buffer[position]
    if (byte === LF || byte === CR) break
    position++
  }
  return position
}

module.exports = SseCounter
