'use strict'

const { CODES, CannonadeError, optionError, readingResults } = require('../base/errors')
const { csvLine } = require('../outside/cells')
const { isNumber } = require('./format')

const COLUMNS = ['time', 'seconds', 'requests', 'rate', 'bytes', 'errors', 'p50', 'p90', 'p99', 'max', 'connections']
// Behind them, where there are sessions.
const SESSION_COLUMNS = new Map([
  ['sessionsScheduled', 'scheduled'], ['sessionsStarted', 'started'], ['sessionsCompleted', 'completed'], ['sessionsFailed', 'failed'], ['sessionsOpen', 'open']
])

// And where responses are streams.
const STREAM_COLUMNS = new Map([
  ['events', ({ events }) => events],
  ['eventRate', ({ events }, { seconds }) => perSecond(events, seconds)],
  ['timeToFirstEventP50', ({ timeToFirstEvent }) => timeToFirstEvent?.p50],
  ['timeToFirstEventP99', ({ timeToFirstEvent }) => timeToFirstEvent?.p99],
  ['gapP50', ({ gap }) => gap?.p50],
  ['gapP99', ({ gap }) => gap?.p99]
])

// And with WebSocket.
const MESSAGE_COLUMNS = new Map([['messagesSent', 'sent'], ['messagesReceived', 'received']])
const COPY_COLUMNS = new Map([['lastCopy', 'lastCopy']])
// And where processes were watched, for each of them.
const ofMonitor = (pids) => pids.flatMap((pid) => ['cpu', 'memory'].map((name) => [`${name} ${pid}`, ({ monitor }) => entryOf(monitor, pid)?.[name]]))
const entryOf = (monitor, pid) => Array.isArray(monitor) ? monitor.find((entry) => entry?.pid === pid) : undefined

/**
 * The timeline of a result as comma-separated values, one sample a line: `time` (seconds from the start, at the end of the
 * sample) and `seconds` (its length), `requests` completed, `rate` (requests per second), `bytes` read, `errors`, the
 * latency `p50 p90 p99 max` in milliseconds, and `connections`. Of a run with sessions also `sessionsScheduled sessionsStarted
 * sessionsCompleted sessionsFailed` in the sample and `sessionsOpen` at its end, and of streams `events eventRate
 * timeToFirstEventP50 timeToFirstEventP99 gapP50 gapP99`; with WebSocket `messagesSent messagesReceived`, and of what goes out to all `lastCopy`. Where processes were watched,
 * `cpu PID` (percent of one core) and `memory PID` (bytes) for each.
 *
 * @param {object} result of a run; one read back from JSON as well
 * @param {object} [options]
 * @param {string} [options.separator] default ','; one character or more, no digit, point, minus, letter, quote or line break
 * @returns {string} lines ended by a line feed, the first one with the names of the columns. A number that the result
 *   does not have is an empty field
 * @throws {CannonadeError} CANNONADE_BAD_RESULT where there is no timeline, CANNONADE_BAD_OPTION
 */
function toTimelineCSV (result, options) {
  const separator = options?.separator ?? ','
  if (typeof separator !== 'string' || !/^[^\d.\-\w"\r\n]+$/.test(separator)) {
    throw optionError('separator', separator, "a text such as ',', ';' or '\\t'")
  }
  if (!Array.isArray(result?.timeline)) {
    throw new CannonadeError(CODES.BAD_RESULT, 'only the result of a run with a timeline can be written as CSV, and this has none')
  }
  const has = (part) => result.timeline.some((sample) => sample?.[part])
  const watched = ofMonitor(pidsIn(result))
  const columns = [
    ...COLUMNS,
    ...(has('sessions') ? SESSION_COLUMNS.keys() : []),
    ...(has('stream') ? STREAM_COLUMNS.keys() : []),
    ...(has('messages') ? MESSAGE_COLUMNS.keys() : []),
    ...(result.timeline.some((sample) => sample?.messages?.lastCopy !== undefined) ? COPY_COLUMNS.keys() : []),
    ...watched.map(([column]) => column)
  ]
  const lines = [columns, ...result.timeline.map((sample) => fieldsOf(sample, columns, watched))]
  return lines.map((fields) => csvLine(fields, separator)).join('')
}

// Nothing but numbers is written, whatever a file holds in their place.
function fieldsOf (sample, columns, watched) {
  const sessions = [...SESSION_COLUMNS].map(([column, name]) => [column, sample?.sessions?.[name]])
  const stream = [...STREAM_COLUMNS].map(([column, read]) => [column, sample?.stream ? read(sample.stream, sample) : null])
  const messages = [...MESSAGE_COLUMNS, ...COPY_COLUMNS].map(([column, name]) => [column, sample?.messages?.[name]])
  const monitor = watched.map(([column, read]) => [column, sample ? read(sample) : null])
  const values = { ...sample, rate: perSecond(sample?.requests, sample?.seconds), ...Object.fromEntries([...sessions, ...stream, ...messages, ...monitor]) }
  return columns.map((name) => isNumber(values[name]) ? values[name] : null)
}

// Whole numbers, whatever a file holds in their place.
function pidsIn ({ monitor }) {
  return Array.isArray(monitor) ? monitor.map((entry) => entry?.pid).filter(Number.isSafeInteger) : []
}

function perSecond (count, seconds) {
  if (!isNumber(count) || !(seconds > 0)) return null
  return Math.round(count / seconds * 1000) / 1000
}

module.exports = readingResults(toTimelineCSV)
