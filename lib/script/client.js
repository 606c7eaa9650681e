'use strict'

const { EventEmitter } = require('node:events')
const { CannonadeError, CODES, optionError } = require('../base/errors')
const { refuseTraceparent } = require('../values/headers')
const { HOOKS, hooksOf, readRequests, readRequest, overRequest } = require('../values/requests')
const Step = require('./step')

// Parts of an HTTP request that a message does not have: it is only a body.
const OF_HEADS = ['method', 'path', 'headers']

/**
 * One connection as a user sees it: passed to `setupClient` and to listeners of `response`. Its changes apply to this connection
 * only, from the next time the request is sent.
 *
 * Emits `headers({ statusCode, headers: [name, value, …] })` after the head of a response, `body(Buffer)` after a non-empty
 * body, decoded, `message(data, isBinary)` for each message of a WebSocket connection,
 * `response(statusCode, resBytes, responseTime in ms)`, and `reset()` when a setupRequest has restarted the sequence. A
 * listener that throws ends the run.
 *
 * All methods throw CANNONADE_CLIENT_MISUSE if `pipelining` is above 1, and CANNONADE_BAD_OPTION if given an invalid request.
 */
class Client extends EventEmitter {
  #script
  #hasHadListeners = false

  constructor (script) {
    super()
    this.#script = script
  }

  /** Whether an event of a client has listeners. Most clients never have any, which is asked several times for each response. */
  static isHeard (client, event) {
    return client.#hasHadListeners && client.listenerCount(event) > 0
  }

  // The other methods that add listeners call one of these three.
  on (event, listener) {
    this.#hasHadListeners = true
    return super.on(event, listener)
  }

  addListener (event, listener) {
    return this.on(event, listener)
  }

  prependListener (event, listener) {
    this.#hasHadListeners = true
    return super.prependListener(event, listener)
  }

  /**
   * Replaces the headers of the current request of this connection: in setupClient the first one, in a `response` listener the
   * one that was just answered.
   *
   * @param {object} [headers] merged over the headers of the run's options; undefined removes all
   */
  setHeaders (headers) {
    this.#change('setHeaders()', { headers: headers || null })
  }

  /** @param {string|Buffer} [body] undefined removes it */
  setBody (body) {
    this.#change('setBody()', { body: body ?? null })
  }

  /** Sets headers and body together. */
  setHeadersAndBody (headers, body) {
    this.#change('setHeadersAndBody()', { headers: headers || null, body: body ?? null })
  }

  /**
   * Replaces the whole request.
   *
   * @param {object} [request] any of `method path headers body setupRequest onResponse onEvent onMessage`; of the first four, any
   *   that is missing is taken from the run's options, while missing hooks are kept
   */
  setRequest (request) {
    const { base, protocol } = this.#forChange()
    const read = readRequest(request || {}, 'setRequest()')
    checkHeads(protocol, [read], 'setRequest()')
    this.#checkTrace(read, 'setRequest()')
    this.#script.sequence.change(overRequest(base, read), functionsOf(read, 'setRequest()'))
  }

  /**
   * Replaces the whole sequence of this connection and restarts it. A request counts under the endpoint with its title, if there
   * is one, otherwise under the endpoint at its position; any further requests count under the last endpoint.
   *
   * @param {object[]} requests as in the `requests` option
   */
  setRequests (requests) {
    const { base, protocol, withIds, rows } = this.#forChange()
    const { target, train: { endpoints } } = this.#script.connection
    const { plan } = this.#script.owner
    const all = readRequests(requests, 'setRequests()')
    checkHeads(protocol, all, 'setRequests()')
    all.forEach((read, index) => this.#checkTrace(read, `setRequests()[${index}]`))
    this.#script.sequence.replace(all.map((read, index) => {
      const hooks = hooksOf(base, functionsOf(read, `setRequests()[${index}]`))
      const sameTitle = endpoints.find((endpoint) => read.title !== undefined && plan.requests[endpoint].title === read.title)
      const endpoint = sameTitle ?? endpoints[Math.min(index, endpoints.length - 1)]
      return new Step({ request: overRequest(base, read), index, where: `setRequests()[${index}]`, endpoint, hooks, target, protocol, withIds, rows })
    }))
  }

  // undefined leaves the headers or the body unchanged, null removes them.
  #change (where, { headers, body }) {
    const { base, protocol } = this.#forChange()
    const { sequence } = this.#script
    checkHeads(protocol, [{ ...(headers !== undefined && { headers }) }], where)
    const { request } = sequence.steps[sequence.current]
    const read = readRequest({ headers, body }, where)
    this.#checkTrace(read, where)
    const from = headers === undefined ? request : { ...request, headers: headers === null ? [] : base.headers }
    sequence.change(overRequest(from, read))
  }

  #checkTrace ({ headers }, where) {
    if (this.#script.connection.target.traceparent !== undefined) refuseTraceparent(headers, `${where}.headers`)
  }

  // With several requests under way, it would be unclear which one a change is for.
  #forChange () {
    const { plan } = this.#script.owner
    if (plan.isUserCode) throw new CannonadeError(CODES.CLIENT_MISUSE, 'a client cannot change requests if user is given: the calls of the user function are sent as they are')
    if (plan.pipelining > 1) {
      throw new CannonadeError(CODES.CLIENT_MISUSE, 'cannot update requests when the piplining factor is greater than 1')
    }
    const { idReplacement: withIds, feed } = plan
    const { base, protocol } = this.#script
    return { base, protocol, withIds, rows: feed === null ? null : feed.rows }
  }
}

function checkHeads ({ hasOnlyBodies = false }, requests, where) {
  if (!hasOnlyBodies) return
  const name = OF_HEADS.find((each) => requests.some((request) => request[each] !== undefined))
  if (name === undefined) return
  throw new CannonadeError(CODES.CLIENT_MISUSE, `${where} cannot change the ${name} of a message: a message of WebSocket has only a body`)
}

// The hooks given with a request. They must be functions: there is no time to load one from a file while requests wait.
function functionsOf (read, where) {
  const given = HOOKS.filter((name) => name in read)
  for (const name of given) {
    if (typeof read[name] === 'string') throw optionError(`${where}.${name}`, read[name], 'a function during the run')
  }
  return Object.fromEntries(given.map((name) => [name, read[name]]))
}

module.exports = Client
