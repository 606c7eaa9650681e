'use strict'

const { contradiction, optionError } = require('../base/errors')
const { hook, isGiven, isObject, isOff, kind, text, weight } = require('./kinds')
const { headers, mergeHeaders, headerList, headersOf } = require('./headers')
const { method } = require('./method')
const { body, partsOf } = require('./body')
const { encodeTarget } = require('./path')
const { ownThinkTime } = require('./duration')
const { call } = require('./grpc')

const ABSOLUTE = /^https?:\/\//i

/**
 * The path of a request as it appears in the request line: unchanged, except that the fragment is removed and illegal characters are
 * encoded. A missing leading slash is added; '*' and a whole URL are used as they are.
 */
const path = kind('a string', value => {
  if (typeof value !== 'string') return undefined
  const target = encodeTarget(value)
  if (target.startsWith('/') || target === '*' || ABSOLUTE.test(target)) return target
  return '/' + target
})

const HOOKS = ['setupRequest', 'onResponse', 'onEvent', 'onMessage']
const REQUEST_OPTIONS = { title: text, method, path, headers, body, thinkTime: ownThinkTime, weight, grpc: call, ...Object.fromEntries(HOOKS.map((name) => [name, hook])) }

/**
 * The entries of `requests`, parsed but not yet merged with the options they inherit. An array among them is a burst; its requests
 * are inserted into the list, and those that were written together have the same `step`. `where`: how the user finds the entry.
 */
const requests = kind('an array of at least one request', (value, name) => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  checkWeights(value, name)
  return value.flatMap((entry, step) => {
    const where = `${name}[${step}]`
    return Array.isArray(entry) ? readBurst(entry, step, where) : { ...readEntry(entry, where), where }
  })
}, { keys: Object.keys(REQUEST_OPTIONS) })

// An array is a part of a sequence.
function checkWeights (entries, name) {
  const burst = entries.findIndex(Array.isArray)
  if (burst === -1) return
  const hasWeight = (entry) => [entry].flat().some((request) => isObject(request) && isGiven(request.weight))
  const weighted = entries.findIndex(hasWeight)
  if (weighted !== -1) throw contradiction(`${name}[${weighted}].weight`, `${name}[${burst}]: […]`, 'an array is a burst in a sequence, and weighted requests are not sent in sequence')
}

function readBurst (burst, step, where) {
  if (burst.length === 0) throw optionError(where, burst, 'an object, or an array of at least one request: a burst')
  return burst.map((entry, i) => {
    if (Array.isArray(entry)) throw optionError(`${where}[${i}]`, entry, 'an object: bursts cannot be nested')
    if (i > 0 && isObject(entry) && isGiven(entry.thinkTime)) throw optionError(`${where}[${i}].thinkTime`, entry.thinkTime, 'set on the first request: all requests of a burst are due together')
    return { ...readEntry(entry, `${where}[${i}]`), step, where: `${where}[${i}]` }
  })
}

function readEntry (entry, where) {
  if (!isObject(entry)) throw optionError(where, entry, `an object with any of ${Object.keys(REQUEST_OPTIONS).join(', ')}`)
  const read = {}
  for (const [name, { read: readValue }] of Object.entries(REQUEST_OPTIONS)) {
    const value = entry[name]
    if (isGiven(value) && !(name === 'headers' && isOff(value))) read[name] = readValue(value, `${where}.${name}`)
  }
  if (entry.body === null) read.body = null // this request has no body, whatever the others send
  return read
}

/**
 * Builds the sequence of requests: each entry overrides the common options.
 *
 * @param {{ method: string, headers: Map, body: *, requests: object[] }} options parsed
 * @returns {{ base: object, requests: object[], hooks: { body: *, requests: object[] } }} `base`: a request that overrides
 *   nothing; the two arrays have the same length
 */
function mergeRequests (options) {
  const commonHeaders = headerList(options.headers)
  const common = partsOf(options.body)
  return {
    base: { title: undefined, method: options.method, path: null, headers: commonHeaders, body: common.body },
    requests: options.requests.map((entry, index) => ({
      title: entry.title,
      method: entry.method ?? options.method,
      path: entry.path ?? null,
      headers: entry.headers ? headerList(mergeHeaders(options.headers, entry.headers)) : commonHeaders,
      body: entry.body === undefined ? common.body : partsOf(entry.body).body,
      ...(isGiven(entry.thinkTime) && { thinkTime: entry.thinkTime }),
      ...(entry.scenario !== undefined && { scenario: entry.scenario }),
      ...(entry.where !== undefined && entry.where !== `requests[${index}]` && { where: entry.where }),
      ...(entry.target !== undefined && { target: entry.target }) // the URL that the request is for, unless it is for all
    })),
    hooks: {
      body: common.source,
      requests: options.requests.map(entry => ({
        ...hooksOf(options, entry),
        body: entry.body === undefined ? common.source : partsOf(entry.body).source
      }))
    }
  }
}

/**
 * The hooks of a request.
 *
 * @param {{ setupRequest: ?function, onEvent: ?function }} ofRun
 * @param {object} own those of the request, parsed: null, from `false`, is none, although the run has one
 * @returns {{ setupRequest: ?function, onResponse: ?function, onEvent: ?function, onMessage: ?function }} functions or modules
 */
function hooksOf ({ setupRequest = null, onEvent = null }, own) {
  const hooks = { setupRequest, onResponse: null, onEvent, onMessage: null }
  for (const name of HOOKS) {
    if (own[name] !== undefined) hooks[name] = own[name]
  }
  return hooks
}

/**
 * Applies changes from a hook or a client to a request during the run.
 *
 * @param {object} request as in the plan
 * @param {object} changes from `readEntry`; whatever is not given stays the same
 * @returns {object} a new request as in the plan
 */
function overRequest (request, changes) {
  const { title = request.title, method = request.method, path = request.path, body = request.body } = changes
  const headers = changes.headers ? headerList(mergeHeaders(headersOf(request.headers), changes.headers)) : request.headers
  return { title, method, path, headers, body }
}

/**
 * Parses a request that a hook or a client gives during the run. It is like an entry of `requests`, except that there is no time to
 * load the module of a body.
 *
 * @param {*} entry
 * @param {string} where it was given, for error messages
 * @returns {object} the given parts, parsed
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readRequest (entry, where) {
  const read = readEntry(entry, where)
  if (read.weight !== undefined) throw optionError(`${where}.weight`, entry.weight, 'left out during the run: a mix is fixed before it starts')
  if (read.grpc !== undefined) throw optionError(`${where}.grpc`, entry.grpc, 'left out during the run: messages are encoded before it starts')
  if (partsOf(read.body).source !== null && typeof read.body !== 'function') {
    throw optionError(`${where}.body`, entry.body, 'a string, a buffer or a function during the run')
  }
  return read
}

/** Like `readRequest`, for an array of requests. */
function readRequests (entries, where) {
  requests.read(entries, where)
  return entries.map((entry, i) => readRequest(entry, `${where}[${i}]`))
}

module.exports = { HOOKS, REQUEST_OPTIONS, readEntry, path, requests, mergeRequests, readRequest, readRequests, overRequest, hooksOf }
