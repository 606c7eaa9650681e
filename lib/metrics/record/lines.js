'use strict'

const { csvLine, csvNames } = require('../../outside/cells')
const { clean, cleanName } = require('../../outside/text')

const BLOCK_BYTES = 256 * 1024
// Numbers, outcome, trace id and what stands between all values; texts come on top.
const MOST_WITHOUT_TEXTS = 1024
const MOST_TEXTS_KEPT = 10_000
const ZERO = 0x30
const POINT = 0x2e
const MINUS = 0x2d
const QUOTE = 0x22
const MILLION = 1e6
/** The outcomes of requests: the states of the accounting that are final. */
const COMPLETED = 0
const FAILED = 1
const TIMED_OUT = 2
const UNFINISHED = 3
const UNSENT = 4
const OUTCOMES = ['completed', 'failed', 'timedOut', 'unfinished', 'unsent']
/** For `line`: there is no such value. */
const NONE = -1

/**
 * Writes a line for each request into blocks of memory, digit by digit, so that a line makes no string. Full blocks go to a file, which
 * may refuse them: then their lines are left out, and the file counts them.
 */
class Lines {
  /**
   * @param {string} form 'csv' or 'json'
   * @param {object} file `take(block, length, lines)`: takes the first bytes of a block, or counts its lines as left out; `spare()`: returns
   *   a block of BLOCK_BYTES that it no longer needs, or null; `takesPartialBlocks`: whether it wants those that are not full
   */
  constructor (form, file) {
    this.form = FORMS[form]
    this.isQuoted = form === 'json'
    this.file = file
    this.start = 0
    this.texts = new Map()
    this.names = new Map()
    this.outcomes = OUTCOMES.map((name) => this.form.text(name))
    this.prefixes = this.form.before
    this.renew(BLOCK_BYTES)
  }

  /** Sets the time from which all others are counted, ms. */
  begin (start) {
    this.start = start
  }

  renew (length) {
    this.block = (length === BLOCK_BYTES ? this.file.spare() : null) ?? Buffer.allocUnsafeSlow(length)
    this.view = new DataView(this.block.buffer, this.block.byteOffset, this.block.length)
    this.at = 0
    this.count = 0
  }

  /** At the end of a sample: hands over the lines that were written so far, unless the file prefers full blocks. */
  endSample () {
    if (this.file.takesPartialBlocks) this.flush()
  }

  /** Hands over the lines that were written so far. */
  flush () {
    if (this.count === 0) return
    this.file.take(this.block, this.at, this.count)
    this.renew(BLOCK_BYTES)
  }

  /**
   * Writes the line of a request. A number that is negative or NaN, and a text that is null, mean that there is none; times are in ms.
   *
   * @param {number} outcome one of the constants above
   * @param {number} due and the others, see COLUMNS; `latency` in us
   * @param {?{ method: string, path: string }} request
   * @param {?TraceIds} traces make the trace id of the number `serial`
   */
  line (outcome, due, sent, firstByte, end, latency, status, bytes, error, request, endpoint, session, scenario, connection, traces, serial) {
    const errorText = error === null ? null : this.known(error)
    const methodText = request === null ? null : this.known(request.method)
    const pathText = request === null ? null : this.pathOf(request)
    const scenarioText = scenario === null ? null : this.nameOf(scenario)
    this.makeRoom(lengthOf(errorText) + lengthOf(methodText) + lengthOf(pathText) + lengthOf(scenarioText))
    this.time(0, due)
    this.time(1, sent)
    this.time(2, firstByte)
    this.time(3, end)
    this.latency(4, latency)
    this.text(5, this.outcomes[outcome])
    this.number(6, status)
    this.number(7, bytes)
    this.text(8, errorText)
    this.text(9, methodText)
    this.text(10, pathText)
    this.number(11, endpoint)
    this.number(12, session)
    this.text(13, scenarioText)
    this.number(14, connection)
    this.traceId(15, traces, serial)
    this.put(this.form.end)
    this.count++
  }

  makeRoom (textBytes) {
    const needed = MOST_WITHOUT_TEXTS + textBytes
    if (this.block.length - this.at >= needed) return
    this.flush()
    if (this.block.length < needed) this.renew(needed)
  }

  // --- texts

  // Scenarios are few.
  nameOf (scenario) {
    let name = this.names.get(scenario)
    if (name === undefined) this.names.set(scenario, name = this.form.name(scenario))
    return name
  }

  // Methods and codes are few. Paths that are made for each request are not kept.
  known (value) {
    let text = this.texts.get(value)
    if (text === undefined) {
      text = this.form.text(value)
      if (this.texts.size < MOST_TEXTS_KEPT) this.texts.set(value, text)
    }
    return text
  }

  // Requests that differ only in their ids, or not at all, share one description, which keeps its bytes.
  pathOf (request) {
    if (request.recorded === undefined) return this.form.text(request.path)
    request.recorded ??= this.form.text(request.path)
    return request.recorded
  }

  text (column, value) {
    this.put(this.prefixes[column])
    this.put(value ?? this.form.none)
  }

  put (bytes) {
    const { block } = this
    const { length } = bytes
    let { at } = this
    // For few bytes, a loop is faster than a call to copy them.
    if (length > 48) bytes.copy(block, at)
    else for (let index = 0; index < length; index++) block[at + index] = bytes[index]
    at += length
    this.at = at
  }

  traceId (column, traces, serial) {
    this.put(this.prefixes[column])
    if (traces === null || !(serial > 0)) {
      this.put(this.form.none)
      return
    }
    if (this.isQuoted) this.block[this.at++] = QUOTE
    this.at += this.block.latin1Write(traces.ofRun, this.at)
    traces.writeTraceId(this.view, this.at, serial)
    this.at += 16
    if (this.isQuoted) this.block[this.at++] = QUOTE
  }

  // --- numbers

  number (column, value) {
    this.put(this.prefixes[column])
    if (value >= 0) this.digits(value)
    else this.put(this.form.none)
  }

  // In seconds, with six digits.
  time (column, ms) {
    this.put(this.prefixes[column])
    if (Number.isNaN(ms)) {
      this.put(this.form.none)
      return
    }
    let us = Math.round((ms - this.start) * 1000)
    if (us < 0) {
      this.block[this.at++] = MINUS
      us = -us
    }
    const seconds = Math.floor(us / MILLION)
    this.digits(seconds)
    this.decimals(us - seconds * MILLION, 6)
  }

  // In ms, with three digits.
  latency (column, us) {
    this.put(this.prefixes[column])
    if (!(us >= 0)) {
      this.put(this.form.none)
      return
    }
    const ms = Math.floor(us / 1000)
    this.digits(ms)
    this.decimals(us - ms * 1000, 3)
  }

  digits (value) {
    let length = 1
    for (let power = 10; value >= power; power *= 10) length++
    this.at += length
    this.backwards(value, length)
  }

  decimals (value, length) {
    this.block[this.at] = POINT
    this.at += 1 + length
    this.backwards(value, length)
  }

  // Writes the last digits of a number, which end where we are.
  backwards (value, length) {
    const { block, at } = this
    const first = at - length
    let place = at - 1
    // Beyond 31 bits, division is slower.
    for (; value > 0x7fffffff; place--) {
      const rest = Math.floor(value / 10)
      block[place] = ZERO + (value - rest * 10)
      value = rest
    }
    for (let rest = value | 0; place >= first; place--) {
      const next = (rest / 10) | 0
      block[place] = ZERO + (rest - next * 10)
      rest = next
    }
  }
}

function lengthOf (text) {
  return text === null ? 0 : text.length
}

/** The columns of a record, in order. Times are in seconds from the start, latency is in ms. */
const COLUMNS = [
  'due', 'sent', 'firstByte', 'end', 'latency', 'outcome', 'status', 'bytes', 'error', 'method', 'path', 'endpoint', 'session', 'scenario', 'connection', 'traceId'
]

// Paths that no form of a line has to change: no part is long enough to be a secret. The full check takes several microseconds, and some
// hooks make a path for each request.
const PLAIN = /^(?:\/[\w~-]{0,20})+$/
const bytes = (text) => Buffer.from(text)

/**
 * What stands between the values of a line, in the bytes of one form: `before[column]` precedes the value of a column, `end` the next
 * line, `none` is a missing value, `quote` stands around texts that need no change, `text(value)` returns
 * others as a whole, and `name(value)` the name of a scenario.
 */
const FORMS = {
  csv: {
    head: bytes(csvLine(COLUMNS, ',')),
    before: COLUMNS.map((_, column) => bytes(column === 0 ? '' : ',')),
    end: bytes('\n'),
    none: bytes(''),
    text: (value) => bytes(PLAIN.test(value) ? value : csvLine([value], ',').slice(0, -1)),
    name: (value) => bytes(csvNames([value], ',').slice(0, -1))
  },
  json: {
    head: bytes(''),
    before: COLUMNS.map((name, column) => bytes(`${column === 0 ? '{' : ','}"${name}":`)),
    end: bytes('}\n'),
    none: bytes('null'),
    text: (value) => bytes(PLAIN.test(value) ? `"${value}"` : JSON.stringify(clean(value))),
    name: (value) => bytes(JSON.stringify(cleanName(value)))
  }
}

module.exports = { Lines, BLOCK_BYTES, COMPLETED, FAILED, TIMED_OUT, UNFINISHED, UNSENT, NONE, FORMS }
