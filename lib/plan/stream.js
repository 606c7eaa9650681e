'use strict'

const { optionError, secondsInWords } = require('../errors')
const { timerSeconds } = require('./duration')
const { contradiction } = require('./schedule')
const { kind, wholeNumber, isObject, toNumber } = require('./kinds')

const EVENTS = ['sse', 'lines', 'chunks']
const NAMES = "'sse', 'lines' or 'chunks'"
const LIMIT = 'a number of events, or { events, seconds }'
const NO_LIMIT = Object.freeze({ events: null, seconds: null })

const count = wholeNumber(1)
const isGiven = (value) => value !== undefined && value !== null

/** What an event is: `true` for those of servers (SSE), the name of a kind, or `{ events, limit }`. */
const stream = kind(`true, ${NAMES}, or { events, limit }`, (value, name) => {
  if (value === false || value === 'false') return null
  if (value === true || value === 'true') return { events: 'sse', limit: NO_LIMIT }
  if (EVENTS.includes(value)) return { events: value, limit: NO_LIMIT }
  return isObject(value) ? { events: readEvents(value.events, `${name}.events`), limit: readLimit(value.limit, `${name}.limit`) } : undefined
})

function readEvents (value, name) {
  if (!isGiven(value)) return 'sse'
  if (!EVENTS.includes(value)) throw optionError(name, value, NAMES)
  return value
}

function readLimit (value, name) {
  if (!isGiven(value) || value === false) return NO_LIMIT
  if (toNumber(value) !== undefined) return { ...NO_LIMIT, events: count.read(value, name) }
  // One that says neither is misspelt: a run without its limit would go on for as long as its streams.
  if (!isObject(value) || !('events' in value || 'seconds' in value)) throw optionError(name, value, LIMIT)
  const { events, seconds } = value
  return {
    events: isGiven(events) ? count.read(events, `${name}.events`) : null,
    seconds: isGiven(seconds) ? timerSeconds.read(seconds, `${name}.seconds`) : null
  }
}

/**
 * Throws where other options contradict a stream.
 *
 * @param {object} options as read
 */
function checkStream ({ stream, http2, pipelining, timeout }) {
  if (stream === null) return
  const { events, limit } = stream
  if (events === 'chunks' && http2) throw contradiction('stream.events', 'http2', "HTTP/2 has no chunked coding, so give 'sse' or 'lines'")
  if (limit.seconds !== null && limit.seconds >= timeout) {
    throw optionError('stream.limit.seconds', limit.seconds, `less than the timeout (${secondsInWords(timeout)}), which ends a response as an error`)
  }
  const hasLimit = limit.events !== null || limit.seconds !== null
  if (hasLimit && !http2 && pipelining > 1) throw contradiction('stream.limit', 'pipelining', 'the connection is closed at the limit, with all requests behind')
}

/** What there is to say about hooks for events where there are none. */
function eventsWithoutEffect ({ stream, onEvent, requests }) {
  if (stream !== null) return []
  const index = requests.findIndex((request) => request.onEvent)
  const name = onEvent !== null ? 'onEvent' : index !== -1 ? `requests[${index}].onEvent` : null
  return name === null ? [] : [{ code: 'OPTION_WITHOUT_EFFECT', message: `${name} has no effect without stream, which says what an event is` }]
}

module.exports = { stream, checkStream, eventsWithoutEffect }
