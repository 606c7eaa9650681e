'use strict'

const { named, optionError, optionProblem, show, words } = require('../base/errors')
const { hook, isObject, kind } = require('./kinds')
const { nameOfRequest } = require('./request-name')

const FORMS = 'either a string or a buffer, or a function that returns a stream, or { stream } with the path of its module'

/**
 * What to send, in the form in which the user gave it, because hooks see it again. It is stored once, regardless of how many requests
 * send it. null and false mean no body; a number is sent as text. A function returns a new stream for each request; `{ stream }` is the path of a
 * module that exports one.
 */
const body = kind(FORMS, (value, name) => {
  if (value === false) return null
  if (Number.isFinite(value)) return String(value)
  if (typeof value === 'function') return value
  if (isObject(value) && 'stream' in value && Object.keys(value).length === 1) return readStream(value.stream, `${name}.stream`)
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return undefined
  return value.length === 0 ? null : value
})

function readStream (value, name) {
  const read = hook.read(value, name)
  if (read === null) throw optionError(name, value, hook.allowed)
  return typeof read === 'function' ? read : { stream: read }
}

/**
 * Separates a body that is data, which is part of the plan, from the source of streams, which is part of the hooks.
 *
 * @param {*} read from `body.read`
 * @returns {{ body: string|Uint8Array|null, source: function|string|null }} `source` may be the path of a module
 */
function partsOf (read) {
  if (typeof read === 'function') return { body: null, source: read }
  return isObject(read) ? { body: null, source: read.stream } : { body: read, source: null }
}

/**
 * Checks that each text body is JSON, as Socket.IO events must be, with the values of each row of the feed filled in.
 *
 * @param {object[]} entries the option `requests`, as read
 * @param {object[]} requests of the plan
 * @param {?object} feed of the plan
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkEvents (entries, requests, feed) {
  const { splitBody } = require('./placeholders')
  requests.forEach(({ body }, index) => {
    if (typeof body !== 'string') return
    const option = entries[index]?.body === undefined ? 'body' : `${nameOfRequest(entries[index], index)}.body`
    const pieces = feed === null ? [body] : splitBody(body)
    const rows = pieces.length === 1 ? [null] : feed.rows
    rows.forEach((row, number) => checkJson(pieces, row, row === null ? named(option) : words`${named(option)} with row ${number + 1} of the feed`, option))
  })
}

function checkJson (pieces, row, where, option) {
  const { columnText } = require('./placeholders')
  const text = pieces.map((piece, place) => place % 2 === 0 ? piece : columnText(row, piece)).join('')
  try {
    JSON.parse(text)
  } catch {
    throw optionProblem(option, words`${where} must be JSON with ${named('socketio')} (an array of the event's arguments, or the only argument); got ${show(text)}`)
  }
}

module.exports = { body, partsOf, checkEvents }
