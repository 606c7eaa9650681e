'use strict'

const { contradiction, named, optionError, optionProblem, words } = require('../../base/errors')
const { didYouMean } = require('../../base/suggest')
const { body } = require('../../values/body')
const { timerSeconds } = require('../../values/duration')
const { form, withContent } = require('../../values/form')
const { headerList, headers, headersOf, mergeHeaders, refuseTraceparent } = require('../../values/headers')
const { isGiven, isObject, text } = require('../../values/kinds')
const { method: methodKind } = require('../../values/method')
const { encodeMultipart, withFormType } = require('../../values/multipart')
const { pathGroup } = require('../../values/path')
const { checkParts, columnText, splitRequest } = require('../../values/placeholders')
const { path: pathKind } = require('../../values/requests')

// A path that needs no change: ASCII without spaces, a fragment, or a placeholder.
const PLAIN_PATH = /^\/[\x21\x22\x24-\x7a\x7c\x7e]*$/
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i
const MOST_KNOWN = 1000
const OPTIONS = ['title', 'headers', 'body', 'json', 'form', 'timeout']
const BODIES = ['body', 'json', 'form']
const PATHS = 'a path, or a URL of the same origin'

/** Reads the arguments of calls, and encodes their requests, for one target. */
class Calls {
  /**
   * @param {object} base the request that a call is merged into: the run's headers
   * @param {object} target of the plan
   * @param {object} protocol
   * @param {boolean} withIds
   * @param {?object[]} rows of the feed, for placeholders
   */
  constructor (base, target, protocol, withIds, rows) {
    this.base = base
    this.headers = headersOf(base.headers)
    this.target = target
    this.origin = new URL(target.href).origin
    this.protocol = protocol
    this.withIds = withIds
    this.rows = rows
    this.hasGaps = rows !== null && splitRequest({ ...base, path: '/' }, '/') !== null
    /** By method: its request for '/', and the requests for paths that were called before. */
    this.known = new Map()
    /** How paths that were called before are grouped as endpoints. */
    this.groups = new Map()
  }

  /**
   * @param {*} method
   * @param {*} path
   * @param {*} opts
   * @param {?object} row of the session
   * @returns {{ method: string, path: string (as it is grouped), title: string|undefined, timeout: ?number, encoded: EncodedRequest }} timeout in ms
   * @throws {CannonadeError} CANNONADE_BAD_OPTION
   */
  read (method, path, opts, row) {
    const where = this.readPath(path)
    if (opts === undefined || opts === null) return { method, path: this.groupOf(where), title: undefined, timeout: null, encoded: this.plain(method, where, row) }
    const { title, timeout, ...parts } = readOptions(opts)
    if (this.target.traceparent !== undefined) refuseTraceparent(parts.headers, 'headers')
    const isPlain = parts.headers === undefined && parts.body === null
    const encoded = isPlain ? this.plain(method, where, row) : this.encode({ method, path: where, ...this.over(parts) }, row)
    return { method, path: this.groupOf(where), title, timeout, encoded }
  }

  /** Like `read`, for the argument of `user.request`. */
  readRequest (request, row) {
    if (!isObject(request)) throw optionError('user.request()', request, `an object with a path and any of method, ${OPTIONS.join(', ')}`)
    const { method, path, ...opts } = request
    return this.read(isGiven(method) ? methodKind.read(method, 'method') : 'GET', path, opts, row)
  }

  readPath (path) {
    if (typeof path === 'string' && PLAIN_PATH.test(path)) return path
    const given = path instanceof URL ? path.href : path
    if (typeof given !== 'string' || given === '') throw optionError('path', path, PATHS)
    return pathKind.read(ABSOLUTE.test(given) ? this.pathOf(given) : given, 'path')
  }

  groupOf (path) {
    let group = this.groups.get(path)
    if (group === undefined) {
      group = pathGroup(path)
      if (this.groups.size < MOST_KNOWN) this.groups.set(path, group)
    }
    return group
  }

  pathOf (url) {
    const { origin, username, password } = URL.canParse(url) ? new URL(url) : {}
    if (origin !== this.origin || username !== '' || password !== '') throw optionError('path', url, words`${PATHS} (${this.origin})`)
    // What the user wrote, since parsing would encode placeholders and resolve dots.
    return url.replace(/^[^:]+:[\\/]*[^\\/?#]*/, '')
  }

  // The request of a call that has only a path.
  plain (method, path, row) {
    let known = this.known.get(method)
    if (known === undefined) this.known.set(method, known = { first: this.encode({ ...this.base, method, path: '/' }, row), paths: new Map() })
    if (this.hasGaps || (this.rows !== null && path.includes('{{'))) return this.encode({ ...this.base, method, path, body: null }, row)
    const before = known.paths.get(path)
    if (before !== undefined) return before
    const mayChange = known.first.isRepeatable && !(this.withIds && path.includes('['))
    const encoded = mayChange ? known.first.withPath(this.protocol.requestTarget(path, this.target)) : this.encode({ ...this.base, method, path, body: null }, row)
    if (known.paths.size < MOST_KNOWN) known.paths.set(path, encoded)
    return encoded
  }

  over ({ headers: own, body, type }) {
    let read = own === undefined ? this.headers : mergeHeaders(this.headers, own)
    if (type === 'json' && !own?.has('content-type')) read = mergeHeaders(read, JSON_TYPE)
    else if (type?.boundary !== undefined) read = withFormType(own?.has('content-type') ? read : without(read, 'content-type'), type.boundary)
    return { headers: headerList(read), body }
  }

  encode (request, row) {
    const { protocol, target, withIds, rows } = this
    const parts = rows === null ? null : splitRequest(request, target.path)
    if (parts === null) return protocol.encodeRequest(request, target, withIds)
    checkParts(rows, parts, `${request.method} ${request.path}`)
    return new protocol.RequestTemplate(request, parts, target, withIds, columnText, rows).fill(row)
  }
}

const JSON_TYPE = new Map([['content-type', { name: 'Content-Type', values: ['application/json'] }]])

function without (read, name) {
  const rest = new Map(read)
  rest.delete(name)
  return rest
}

function readOptions (opts) {
  if (!isObject(opts)) throw optionError('the options of a call', opts, `an object with any of ${OPTIONS.join(', ')}`)
  for (const name of Object.keys(opts)) if (!OPTIONS.includes(name)) throw unknown(name, opts[name])
  const { title, timeout } = opts
  return {
    title: isGiven(title) ? text.read(title, 'title') : undefined,
    timeout: isGiven(timeout) ? timerSeconds.read(timeout, 'timeout') * 1000 : null,
    headers: isGiven(opts.headers) ? headers.read(opts.headers, 'headers') : undefined,
    ...readBody(opts)
  }
}

function unknown (name, value) {
  return optionProblem(name, words`a call has no option ${named(name)}${didYouMean(name, OPTIONS, `: it has ${OPTIONS.join(', ')}`)}`, { value })
}

function readBody (opts) {
  const given = BODIES.filter((name) => opts[name] !== undefined)
  if (given.length > 1) throw contradiction(given[0], given[1], 'a request has one body')
  const [name] = given
  if (name === undefined) return { body: null }
  if (name === 'json') return { body: readJson(opts.json), type: 'json' }
  return name === 'form' ? readForm(opts.form) : { body: readData(opts.body) }
}

function readData (value) {
  if (value === null) return null
  if (typeof value === 'function' || isObject(value)) throw optionError('body', value, words`a string or bytes (${named('json')} takes an object)`)
  return body.read(value, 'body')
}

function readJson (value) {
  let written
  try {
    written = JSON.stringify(value)
  } catch (cause) {
    throw optionProblem('json', words`${named('json')} cannot be serialized: ${cause.message.split('\n')[0]}`, { cause })
  }
  if (written === undefined) throw optionError('json', value, 'a value that JSON can represent')
  return written
}

function readForm (value) {
  if (value === null) return { body: null }
  const { bytes, boundary } = encodeMultipart(form.read(value, 'form').map(withContent))
  return { body: bytes, type: { boundary } }
}

module.exports = Calls
