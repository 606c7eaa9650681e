'use strict'

const { CODES, CannonadeError, optionError, readingResults } = require('../base/errors')
const { thousandth } = require('../base/rounding')
const { PARTS } = require('../metrics/parts')
const { csvLine, csvNames } = require('../outside/cells')
const { isNumber } = require('../words/numbers')

// Columns of the parts of a run follow, see metrics/parts/.
const COLUMNS = ['time', 'seconds', 'requests', 'rate', 'bytes', 'errors', 'p50', 'p90', 'p99', 'max', 'connections']
  .map((name) => [name, name === 'rate' ? ({ requests, seconds }) => perSecond(requests, seconds) : (sample) => sample[name]])

/**
 * Returns the timeline of a result as comma-separated values, one line per sample: `time` (end of the sample, in seconds from the
 * start) and `seconds` (its length), `requests` completed, `rate` (requests per second), `bytes` read, `errors`, the latency
 * `p50 p90 p99 max` in milliseconds, and `connections`. With sessions also `sessionsScheduled sessionsStarted sessionsCompleted
 * sessionsFailed` in the sample and `sessionsOpen` at its end, and for each scenario `requests NAME errors NAME sessionsStarted NAME
 * sessionsCompleted NAME sessionsFailed NAME`; with users as code `passed NAME failed NAME` for each check (in scenarios, the
 * names are `SCENARIO: NAME`); with streams `events eventRate timeToFirstEventP50
 * timeToFirstEventP99 gapP50 gapP99`; with WebSocket `messagesSent messagesReceived`, and with broadcasts `lastCopy`. For each
 * monitored process `cpu PID` (percent of one core) and `memory PID` (bytes).
 *
 * @param {object} result of a run; also read from JSON
 * @param {object} [options]
 * @param {string} [options.separator] default ','; one or more characters, except digits, periods, minus signs, letters, quotes and
 *   line breaks
 * @returns {string} lines with a line feed at the end, beginning with the names of the columns. Missing numbers are empty fields
 * @throws {CannonadeError} CANNONADE_BAD_RESULT if there is no timeline, CANNONADE_BAD_OPTION
 */
function toTimelineCSV (result, options) {
  const separator = options?.separator ?? ','
  if (typeof separator !== 'string' || !/^[^\d.\-\w"\r\n]+$/.test(separator)) {
    throw optionError('separator', separator, "a string such as ',', ';' or '\\t'")
  }
  if (!Array.isArray(result?.timeline)) {
    throw new CannonadeError(CODES.BAD_RESULT, 'only the result of a run with a timeline can be written as CSV; this one has none')
  }
  const columns = [...COLUMNS, ...PARTS.flatMap((part) => part.columns(result))]
  const rows = result.timeline.map((sample) => columns.map(([, read]) => sample ? read(sample) : null))
  // Only numbers are written; anything else that a file contains becomes an empty field.
  const cells = rows.map((row) => row.map((value) => isNumber(value) ? value : null))
  return csvNames(columns.map(([name]) => name), separator) + cells.map((fields) => csvLine(fields, separator)).join('')
}

function perSecond (count, seconds) {
  if (!isNumber(count) || !(seconds > 0)) return null
  return thousandth(count / seconds)
}

module.exports = readingResults(toTimelineCSV)
