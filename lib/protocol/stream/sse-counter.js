'use strict'

const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const NAME = Buffer.from('data')
// With this the answers of language models say that they have come to their end; it is no event.
const DONE = Buffer.from('[DONE]')
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

// What the next byte belongs to.
const MARK = 0
const LINE_START = 1
const LINE_START_AFTER_CR = 2
const FIELD_NAME = 3
const VALUE_START = 4
const VALUE = 5
const REST = 6

const NO_MATCH = -1

/**
 * Counts server-sent events as the WHATWG standard dispatches them ("Interpreting an event stream"), whatever way the
 * bytes are cut into packets. It looks at what decides whether there is an event (names of fields, empty lines, and whether
 * the data is `[DONE]`) and runs over all else; nothing is kept, and nothing allocated.
 */
class SseCounter {
  constructor () {
    this.begin()
  }

  /** The next stream begins. */
  begin () {
    this.state = MARK
    /** How far the name of a field, or the byte order mark, is what it may be. */
    this.matched = 0
    /** Of the event that is on: how many lines of data, and whether the only one is `[DONE]`. */
    this.dataLines = 0
    this.isDone = false
    /** Of the line of data that is on: how much of `[DONE]` it is by now. */
    this.doneMatched = 0
    /** Behind the last byte that `scan` has read. */
    this.position = 0
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end
   * @param {number} most after how many events to stop
   * @returns {number} how many events were completed; `position` is behind the last byte that was read
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
      const isBlank = state === LINE_START || state === LINE_START_AFTER_CR || (state === MARK && this.matched === 0)
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

  // One byte within a line. @returns {number} the state behind it
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
    // The rest of it is data, whatever it says.
    this.endData(NO_MATCH)
    return REST
  }

  // A line has come to its end in this state; one whose rest was of no interest has been counted.
  endLine (state) {
    if (state === VALUE) this.endData(this.doneMatched)
    else if (state === VALUE_START || (state === FIELD_NAME && this.matched === NAME.length)) this.endData(0)
  }

  endData (doneMatched) {
    this.dataLines++
    this.isDone = doneMatched === DONE.length
  }

  // An empty line has come. @returns {boolean} whether that makes an event
  dispatch () {
    const isEvent = this.dataLines > 1 || (this.dataLines === 1 && !this.isDone)
    this.dataLines = 0
    return isEvent
  }

  /** The stream has ended: what had no empty line behind it is no event. */
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
