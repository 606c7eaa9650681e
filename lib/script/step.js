'use strict'

const { optionError } = require('../base/errors')
const { isObject } = require('../values/kinds')
const { refuseTraceparent } = require('../values/headers')
const { readRequest, overRequest } = require('../values/requests')
const { splitRequest, checkParts, columnText } = require('../values/placeholders')

const SPACE = 0x20
const NUMBER_SIGN = 0x23
const LAST_PRINTABLE = 0x7e

/** One request of the sequence, ready to be sent, with its hooks. Immutable: a change creates a new step. */
class Step {
  /**
   * @param {object} parts
   * @param {object} parts.request as in the plan
   * @param {number} parts.index its position in the sequence
   * @param {string} parts.where how messages call it: see values/request-name.js
   * @param {number} parts.endpoint the endpoint of the result under which it is counted
   * @param {{ setupRequest: ?function, onResponse: ?function, onEvent: ?function, onMessage: ?function }} parts.hooks
   * @param {object} parts.target
   * @param {object} parts.protocol
   * @param {boolean} parts.withIds
   * @param {?object[]} parts.rows of the feed, to fill placeholders in the request; null without a feed
   * @param {EncodedRequest} [parts.encoded] the encoded request, if it already exists
   */
  constructor ({ request, index, where, endpoint, hooks, target, protocol, withIds, rows, encoded }) {
    this.request = request
    this.index = index
    this.where = where
    this.endpoint = endpoint
    this.hooks = hooks
    this.target = target
    this.protocol = protocol
    this.withIds = withIds
    this.rows = rows
    this.path = request.path ?? target.path
    this.headers = toObject(request.headers)
    this.headerCount = Object.keys(this.headers).length
    /** The same step as it counts under other endpoints. */
    this.elsewhere = null
    this.template = rows === null ? null : this.createTemplate()
    this.encoded = encoded ?? protocol.encodeRequest(request, target, withIds)
  }

  /** Whether the request asks to close its connection after the response. */
  get closes () {
    return this.encoded.closes
  }

  createTemplate () {
    const parts = splitRequest(this.request, this.target.path)
    if (parts === null) return null
    // Requests of the plan have been checked before; this is for those that a client sets during the run.
    checkParts(this.rows, parts, this.where)
    return new this.protocol.RequestTemplate(this.request, parts, this.target, this.withIds, columnText, this.rows)
  }

  /** The encoded request, filled with a row of the feed. */
  encodedFor (row) {
    return this.template === null ? this.encoded : this.template.fill(row)
  }

  /** This step filled with a row of the feed. Placeholders in the row's own text are not expanded. */
  filledFor (row) {
    if (this.template === null) return this
    const { index, where, endpoint, hooks, target, protocol, withIds, template } = this
    return new Step({ request: template.draft(row), index, where, endpoint, hooks, target, protocol, withIds, rows: null, encoded: template.fill(row) })
  }

  /**
   * A new object that a setupRequest may modify. A body of bytes and the row are shared by all connections: they may be replaced
   * but not written into.
   */
  draft (row) {
    const { method, body, title } = this.request
    const draft = this.protocol.hasOnlyBodies === true
      ? { body: body ?? undefined, title }
      : { method, path: this.path, headers: { ...this.headers }, body: body ?? undefined, title }
    if (row !== null) draft.row = row
    return draft
  }

  /**
   * Encodes the request that a setupRequest has returned. A missing method, path or headers are taken from the step; a missing
   * body means no body.
   */
  encode (returned) {
    const where = `${this.where}.setupRequest()`
    if (!isObject(returned)) readRequest(returned, where)
    if (this.protocol.hasOnlyBodies === true) return this.encodeMessage(returned, where)
    if (this.protocol.encodedBefore !== undefined) this.checkEncoded(returned, where)
    if (this.hasOwnMethodHeadersAndBody(returned)) {
      if (returned.path === this.path) return this.encoded
      if (this.takesPath(returned.path)) return this.encoded.withPath(this.protocol.requestTarget(returned.path, this.target))
    }
    const { method, path, headers, body = null } = returned
    const read = readRequest({ method, path, headers, body }, where)
    if (this.target.traceparent !== undefined) refuseTraceparent(read.headers, `${where}.headers`)
    const base = read.headers === undefined ? this.request : { ...this.request, headers: [] }
    return this.protocol.encodeRequest(overRequest(base, read), this.target, this.withIds)
  }

  checkEncoded (returned, where) {
    const name = this.protocol.encodedBefore.find((each) => returned[each] !== undefined)
    if (name !== undefined) throw optionError(`${where}.${name}`, returned[name], 'left out: messages are encoded before the run; a hook gets and returns the encoded message as body')
  }

  encodeMessage (returned, where) {
    const name = ['method', 'path', 'headers'].find((each) => returned[each] !== undefined)
    if (name !== undefined) throw optionError(`${where}.${name}`, returned[name], 'left out: a message of WebSocket has only a body')
    const { body = null } = returned
    if (body === this.request.body) return this.encoded
    return this.protocol.encodeRequest(overRequest(this.request, readRequest({ body }, where)), this.target, this.withIds)
  }

  // Comparing is cheaper than encoding, and many hooks change only the path.
  hasOwnMethodHeadersAndBody ({ method, body = null, headers }) {
    if (method !== this.request.method || body !== this.request.body) return false
    if (headers === null || typeof headers !== 'object' || Object.getPrototypeOf(headers) !== Object.prototype) return false
    let count = 0
    for (const name in headers) {
      if (headers[name] !== this.headers[name]) return false
      count++
    }
    return count === this.headerCount
  }

  takesPath (path) {
    return this.encoded.isRepeatable && isPlain(path) && !(this.withIds && path.includes('['))
  }

  /** Returns this step, counted under an endpoint. The same for each request, as many may be. */
  countedUnder (endpoint) {
    if (endpoint === this.endpoint) return this
    this.elsewhere ??= new Map()
    let step = this.elsewhere.get(endpoint)
    if (step === undefined) this.elsewhere.set(endpoint, step = Object.assign(Object.create(Step.prototype), this, { endpoint }))
    return step
  }

  /** Returns this step with another request, and with other hooks if given. */
  with (request, hooks) {
    const { index, where, endpoint, target, protocol, withIds, rows } = this
    return new Step({ request, index, where, endpoint, hooks: { ...this.hooks, ...hooks }, target, protocol, withIds, rows })
  }
}

// Whether a path needs no escaping in the request line: ASCII without spaces or a fragment. A regular expression would take twice as long
// for text that has just been concatenated.
function isPlain (path) {
  if (typeof path !== 'string' || path[0] !== '/') return false
  for (let index = 1; index < path.length; index++) {
    const code = path.charCodeAt(index)
    if (code <= SPACE || code > LAST_PRINTABLE || code === NUMBER_SIGN) return false
  }
  return true
}

// Converts headers to an object, the form in which users write them. Repeated headers become an array, which is frozen because
// all drafts share it.
function toObject (pairs) {
  const object = {}
  for (const [name, value] of pairs) {
    object[name] = Object.hasOwn(object, name) ? Object.freeze([].concat(object[name], value)) : value
  }
  return object
}

module.exports = Step
