'use strict'

const { csvLine } = require('../../outside/cells')
const { clean } = require('../../outside/text')

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
 * line, `none` is a missing value, `quote` stands around texts that need no change, and `text(value)` returns others as a whole.
 */
const FORMS = {
  csv: {
    head: bytes(csvLine(COLUMNS, ',')),
    before: COLUMNS.map((_, column) => bytes(column === 0 ? '' : ',')),
    end: bytes('\n'),
    none: bytes(''),
    text: (value) => bytes(PLAIN.test(value) ? value : csvLine([value], ',').slice(0, -1))
  },
  json: {
    head: bytes(''),
    before: COLUMNS.map((name, column) => bytes(`${column === 0 ? '{' : ','}"${name}":`)),
    end: bytes('}\n'),
    none: bytes('null'),
    text: (value) => bytes(PLAIN.test(value) ? `"${value}"` : JSON.stringify(clean(value)))
  }
}

module.exports = { COLUMNS, FORMS }
