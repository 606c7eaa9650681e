'use strict'

const { contradiction, optionError, secondsInWords } = require('../base/errors')
const { timerSeconds } = require('../values/duration')
const { kind, ofParts, wholeNumber, isObject, toNumber } = require('../values/kinds')
const { nameOfRequest } = require('../values/request-name')

const EVENTS = ['sse', 'lines', 'chunks']
const NAMES = "'sse', 'lines' or 'chunks'"
const NO_LIMIT = Object.freeze({ events: null, seconds: null })

const count = wholeNumber(1)
const events = { ...kind(NAMES, (value) => EVENTS.includes(value) ? value : undefined), choices: EVENTS }
const limitOfBoth = ofParts({ events: count, seconds: timerSeconds }, { defaults: NO_LIMIT })
const limit = kind('a number of events, or { events, seconds }', (value, name) => {
  if (value === false) return NO_LIMIT
  if (toNumber(value) !== undefined) return { ...NO_LIMIT, events: count.read(value, name) }
  // An object with neither part is probably misspelled. Ignoring it would let responses run without a limit.
  return isObject(value) && ('events' in value || 'seconds' in value) ? limitOfBoth.read(value, name) : undefined
}, { keys: limitOfBoth.keys })

const parts = ofParts({ events, limit }, {
  defaults: { events: 'sse', limit: NO_LIMIT },
  isSwitch: true,
  shorthand: { part: 'events', accepts: (value) => EVENTS.includes(value) },
  allowed: `true, ${NAMES}, or { events, limit }`
})
const TRUTHS = new Map([['true', true], ['false', false]])

/** Defines what an event is: `true` for server-sent events (SSE), the name of a kind, or `{ events, limit }`. */
const stream = { ...parts, read: (value, name) => parts.read(TRUTHS.get(value) ?? value, name) }

/**
 * Throws if other options conflict with streams.
 *
 * @param {object} options as read
 */
function checkStream ({ stream, http2, pipelining, timeout }) {
  if (stream === null) return
  const { events, limit } = stream
  if (events === 'chunks' && http2) throw contradiction('stream.events', 'http2', "HTTP/2 has no chunked coding, so give 'sse' or 'lines'")
  if (limit.seconds !== null && limit.seconds >= timeout) {
    throw optionError('stream.limit.seconds', limit.seconds, `less than the timeout (${secondsInWords(timeout)}), after which a response is an error`)
  }
  const hasLimit = limit.events !== null || limit.seconds !== null
  if (hasLimit && !http2 && pipelining > 1) throw contradiction('stream.limit', 'pipelining', 'the connection is closed at the limit, and the pipelined requests are lost')
}

/** Returns a warning if there is an onEvent hook but no stream. */
function eventsWithoutEffect ({ stream, onEvent, requests }) {
  if (stream !== null) return []
  const index = requests.findIndex((request) => request.onEvent)
  const name = onEvent !== null ? 'onEvent' : index !== -1 ? `${nameOfRequest(requests[index], index)}.onEvent` : null
  return name === null ? [] : [{ code: 'OPTION_WITHOUT_EFFECT', message: `${name} has no effect without stream, which defines what an event is` }]
}

module.exports = { stream, checkStream, eventsWithoutEffect }
