'use strict'

const { optionError } = require('../base/errors')
const { isObject } = require('../values/kinds')
const { readRequest, overRequest } = require('../values/requests')
const { splitRequest, checkParts, columnText } = require('../values/placeholders')

// A path that goes into the request line as it is: ASCII without spaces, and without a fragment.
const PLAIN_PATH = /^\/[\x21\x22\x24-\x7e]*$/

/** One request of the sequence, ready to be sent, with the hooks around it. Never changed: a changed one is a new one. */
class Step {
  /**
   * @param {object} parts
   * @param {object} parts.request as in the plan
   * @param {number} parts.index which one of its sequence it is, for naming it
   * @param {number} parts.endpoint under which of the result's endpoints it is counted
   * @param {{ setupRequest: ?function, onResponse: ?function, onEvent: ?function, onMessage: ?function }} parts.hooks
   * @param {object} parts.target
   * @param {object} parts.protocol
   * @param {boolean} parts.withIds
   * @param {?object[]} parts.rows of the feed, for the places in the request that a row is to fill; null: there are none
   * @param {EncodedRequest} [parts.encoded] the request's bytes, where somebody has them already
   */
  constructor ({ request, index, endpoint, hooks, target, protocol, withIds, rows, encoded }) {
    this.request = request
    this.index = index
    this.endpoint = endpoint
    this.hooks = hooks
    this.target = target
    this.protocol = protocol
    this.withIds = withIds
    this.rows = rows
    this.path = request.path ?? target.path
    this.headers = toObject(request.headers)
    this.template = rows === null ? null : this.createTemplate()
    this.encoded = encoded ?? protocol.encodeRequest(request, target, withIds)
  }

  /** Whether the request says that its connection ends with its response. */
  get closes () {
    return this.encoded.closes
  }

  createTemplate () {
    const parts = splitRequest(this.request, this.target.path)
    if (parts === null) return null
    // Those of the plan have been looked at; this is for what a client gives while the run is on.
    checkParts(this.rows, parts, `the request of index ${this.index}`)
    return new this.protocol.RequestTemplate(this.request, parts, this.target, this.withIds, columnText, this.rows)
  }

  /** What goes over the wire for a row of the feed. */
  encodedFor (row) {
    return this.template === null ? this.encoded : this.template.fill(row)
  }

  /** This step for a row of the feed: filled in, and from then on what the row says is nothing but text. */
  filledFor (row) {
    if (this.template === null) return this
    const { index, endpoint, hooks, target, protocol, withIds, template } = this
    return new Step({ request: template.draft(row), index, endpoint, hooks, target, protocol, withIds, rows: null, encoded: template.fill(row) })
  }

  /**
   * A new object that a setupRequest may change as it likes. A body of bytes is the one that all connections share, and
   * so is the row: they may be replaced, not written into.
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
   * What goes over the wire for the request that a setupRequest has returned. Where it says nothing of the method, path
   * or headers they are the step's own; without a body it has none.
   */
  encode (returned) {
    const where = `requests[${this.index}].setupRequest()`
    if (!isObject(returned)) readRequest(returned, where)
    if (this.protocol.hasOnlyBodies === true) return this.encodeMessage(returned, where)
    if (this.protocol.encodedBefore !== undefined) this.checkEncoded(returned, where)
    if (this.hasOwnMethodHeadersAndBody(returned)) {
      if (returned.path === this.path) return this.encoded
      if (this.takesPath(returned.path)) return this.encoded.withPath(this.protocol.requestTarget(returned.path, this.target))
    }
    const { method, path, headers, body = null } = returned
    const read = readRequest({ method, path, headers, body }, where)
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

  // Encoding costs more than looking what the hook has changed, and many change nothing but the path.
  hasOwnMethodHeadersAndBody ({ method, body = null, headers }) {
    if (method !== this.request.method || body !== this.request.body) return false
    if (headers === null || typeof headers !== 'object' || Object.getPrototypeOf(headers) !== Object.prototype) return false
    let count = 0
    for (const name in headers) {
      if (headers[name] !== this.headers[name]) return false
      count++
    }
    return count === Object.keys(this.headers).length
  }

  takesPath (path) {
    return this.encoded.isRepeatable && PLAIN_PATH.test(path) && !(this.withIds && path.includes('['))
  }

  /** This step with another request, and with other hooks where some are given. */
  with (request, hooks) {
    const { index, endpoint, target, protocol, withIds, rows } = this
    return new Step({ request, index, endpoint, hooks: { ...this.hooks, ...hooks }, target, protocol, withIds, rows })
  }
}

// Headers as an object, the form users write them in; a header that is given twice becomes an array. That one is frozen
// because all drafts have the same.
function toObject (pairs) {
  const object = {}
  for (const [name, value] of pairs) {
    object[name] = Object.hasOwn(object, name) ? Object.freeze([].concat(object[name], value)) : value
  }
  return object
}

module.exports = Step
