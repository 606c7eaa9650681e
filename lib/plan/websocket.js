'use strict'

const { contradiction, named, optionError, optionProblem, withValue, words } = require('../base/errors')
const world = require('../world')
const { choice, hook, isObject, kind, ofParts, truth, wholeNumber } = require('../values/kinds')
const { TOKEN, headers, mergeHeaders, headerList } = require('../values/headers')
const { timerSeconds } = require('../values/duration')
const { nameOfRequest } = require('../values/request-name')
const { planSocketIo } = require('./socketio')

const DEFAULT_LIMIT = 100 * 1024 * 1024
/** The highest message size limit that can be set: what fits in a Node.js buffer. */
const LARGEST_LIMIT = 2 ** 31 - 1
const RUN_ID_LENGTH = 8
const ID_TAG = '[<id>]'
const COLUMN = /\{\{[^{}\r\n]+\}\}/

const expect = choice('reply', 'nothing', 'broadcast')
const limit = wholeNumber(1, LARGEST_LIMIT)

// Control characters could inject another header.
// eslint-disable-next-line no-control-regex
const origin = kind('a string without control characters', value => typeof value === 'string' && !/[\x00-\x1f\x7f]/.test(value) ? value : undefined)

/** Subprotocols in order of preference, without duplicates (RFC 6455, section 4.1). */
const protocols = kind('the name of a subprotocol (letters, digits and !#$%&\'*+-.^_`|~), or an array of different ones', value => {
  const names = typeof value === 'string' ? [value] : value
  if (!Array.isArray(names) || !names.every(name => typeof name === 'string' && TOKEN.test(name))) return undefined
  return new Set(names).size === names.length ? names : undefined
})

const PARTS = { expect, protocols, compress: truth, origin, headers, match: hook, maxMessage: limit, pingInterval: timerSeconds }
const DEFAULTS = {
  expect: 'reply', protocols: [], compress: false, origin: null, headers: new Map(), match: null, maxMessage: DEFAULT_LIMIT, pingInterval: null
}

/** WebSocket settings: `true`, or an object with any of the parts. */
const websocket = ofParts(PARTS, { defaults: DEFAULTS, isSwitch: true })

// Parts that entries of `requests` cannot have, since the handshake belongs to the connection.
const OF_HANDSHAKE = ['method', 'path', 'headers']

/**
 * Plans the WebSocket part of a run.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @returns {?object} `{ expect, protocols, compress, headers, maxMessage, pingInterval, socketio, carriesIds, runId }`;
 *   `headers` are the handshake's headers as pairs, `socketio` the Socket.IO settings (null if not used), `carriesIds`
 *   whether each message has an ID that Cannonade assigns, `runId` the prefix of these IDs; null if the plan uses HTTP
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function planWebSocket (options, targets) {
  const ofSockets = targets.filter(({ isWebSocket }) => isWebSocket)
  if (ofSockets.length === 0) return null
  if (ofSockets.length < targets.length) throw badMixture(targets)
  checkNoRequests(options)
  if (options.feed !== null) checkNoColumns(targets)
  const own = options.websocket ?? DEFAULTS
  checkExpectations(own, options)
  const { match, origin, ...rest } = own
  return {
    ...rest,
    headers: headerList(mergeHeaders(options.headers, withOrigin(own))),
    socketio: options.socketio === null ? null : planSocketIo(options, targets),
    isMatched: match !== null,
    carriesIds: own.expect === 'broadcast' && match === null,
    runId: createRunId()
  }
}

/** Returns a random prefix for the IDs of all messages of a run. */
function createRunId () {
  return Array.from({ length: RUN_ID_LENGTH }, () => world.randomInt(36).toString(36)).join('')
}

function badMixture (targets) {
  const other = targets.findIndex(({ isWebSocket }) => !isWebSocket)
  return optionError(`url[${other}]`, targets[other].href, 'a ws:// or wss:// URL like the others: a run uses one protocol')
}

function withOrigin ({ origin, headers: own }) {
  return origin === null ? own : mergeHeaders(headers.read({ Origin: origin }, 'websocket.origin'), own)
}

function checkNoRequests (options) {
  if (!options.keepAlive) throw notWithWebSocket('keepAlive: false', words`for a connection per message, set ${named('reconnectRate')}: 1`, 'keepAlive')
  if (options.sessions?.log) throw notWithWebSocket('sessions.log', 'a session log contains HTTP requests')
  if (typeof options.body === 'function' || isObject(options.body)) throw optionError('body', options.body, 'a string or bytes with a ws:// URL: a message is complete when it is sent')
  options.requests.forEach((request, index) => {
    const { body } = request
    if (typeof body === 'function' || isObject(body)) throw optionError(`${nameOfRequest(request, index)}.body`, body, 'a string or bytes with a ws:// URL: a message is complete when it is sent')
    const name = OF_HANDSHAKE.find(each => request[each] !== undefined)
    if (name !== undefined) throw notWithWebSocket(`${nameOfRequest(request, index)}.${name}`, 'it belongs to the handshake of the connection, not to a message')
  })
}

// Throws if a WebSocket URL contains columns: one handshake serves messages of many rows.
function checkNoColumns (targets) {
  const target = targets.find(({ path }) => COLUMN.test(path))
  if (target !== undefined) throw optionError('url', target.href, 'a WebSocket URL without columns of the feed: use them in messages')
}

function notWithWebSocket (name, why, option = name) {
  return optionProblem(option, words`${withValue(name)} cannot be given with a ws:// URL: ${why}`)
}

function checkExpectations ({ expect, match }, options) {
  const { expectBody, verifyBody } = options
  const check = expectBody !== null ? 'expectBody' : verifyBody !== null ? 'verifyBody' : null
  if (check !== null && expect === 'broadcast') {
    throw contradiction("websocket.expect: 'broadcast'", check, 'copies are recognised by their id, and the rest of their body is not checked')
  }
  if (expect === 'broadcast' && options.fleet !== null) {
    throw contradiction("websocket.expect: 'broadcast'", 'fleet', 'a machine does not know how many connections the others have open when it sends a message, so it cannot tell how many copies to expect; use workers on one machine')
  }
  if (expect === 'broadcast' && match !== null && options.workers !== null) {
    throw contradiction('websocket.match', 'workers', 'threads recognise copies of messages of other threads only by the ids that replace [<id>]')
  }
  if (expect !== 'nothing') return
  if (check !== null) throw contradiction("websocket.expect: 'nothing'", check, 'there is no reply to check')
  if (match !== null) throw contradiction("websocket.expect: 'nothing'", 'websocket.match', 'there is no reply to match')
  const withHook = options.requests.findIndex(({ onMessage, onResponse }) => onMessage || onResponse)
  if (withHook === -1) return
  const hookName = options.requests[withHook].onMessage ? 'onMessage' : 'onResponse'
  throw contradiction("websocket.expect: 'nothing'", `${nameOfRequest(options.requests[withHook], withHook)}.${hookName}`, 'no reply is awaited')
}

/** Throws if a WebSocket-only option is given with an HTTP URL. */
function checkNoMessages (options, url) {
  if (options.websocket !== null) throw optionError('url', url, 'a ws:// or wss:// URL for WebSocket messages')
  options.requests.forEach((request, index) => {
    if (request.onMessage) throw cannotHaveMessages(`${nameOfRequest(request, index)}.onMessage`)
  })
}

function cannotHaveMessages (name) {
  return optionProblem(name, words`${named(name)} needs a ws:// or wss:// URL: with HTTP it is onResponse`)
}

/**
 * Warns of broadcast bodies that have no place for an ID, since they are replaced.
 *
 * @param {object[]} requests of the plan
 * @returns {object[]} one warning per replaced body
 */
function bodiesWithoutId (requests) {
  return requests.flatMap((request, index) => request.body === null || hasTag(request.body)
    ? []
    : [{
        code: 'OPTION_WITHOUT_EFFECT',
        message: `the body of ${nameOfRequest(request, index)} has no effect: with expect 'broadcast' each message carries an id that replaces ${ID_TAG}; a body without ${ID_TAG} is replaced by {"id":"…"}`
      }])
}

function hasTag (body) {
  return typeof body === 'string' ? body.includes(ID_TAG) : Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(ID_TAG)
}

module.exports = { websocket, planWebSocket, notWithWebSocket, createRunId, checkNoMessages, bodiesWithoutId }
