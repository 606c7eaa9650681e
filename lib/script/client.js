'use strict'

const { EventEmitter } = require('node:events')
const { CannonadeError, CODES, optionError } = require('../base/errors')
const { readRequests, readRequest, overRequest } = require('../values/requests')
const Step = require('./step')

const NO_HOOKS = { setupRequest: null, onResponse: null, onEvent: null, onMessage: null }
// Of a request of HTTP; a message is a body.
const OF_HEADS = ['method', 'path', 'headers']

/**
 * One connection as a user sees it: given to `setupClient` and to listeners of `response`. What it changes, it changes
 * for this connection alone, from the next time on that the request is sent.
 *
 * Emits `headers({ statusCode, headers: [name, value, …] })` when the head of a response is there, `body(Buffer)` when
 * all of a body is, decoded (and there is one), `message(data, isBinary)` for each message of a WebSocket connection,
 * `response(statusCode, resBytes, responseTime in ms)`, and `reset()` when
 * a setupRequest has started the sequence again. A listener that throws ends the run.
 *
 * All its methods throw CANNONADE_CLIENT_MISUSE with `pipelining` above 1, and CANNONADE_BAD_OPTION for what is no
 * request.
 */
class Client extends EventEmitter {
  #script

  constructor (script) {
    super()
    this.#script = script
  }

  /**
   * Gives the request this connection is currently on other headers: the first request in setupClient, the one just
   * answered in a `response` listener.
   *
   * @param {object} [headers] over those of the run's options; undefined removes all
   */
  setHeaders (headers) {
    this.#change('setHeaders()', { headers: headers || null })
  }

  /** @param {string|Buffer} [body] undefined removes it */
  setBody (body) {
    this.#change('setBody()', { body: body ?? null })
  }

  /** Both at once. */
  setHeadersAndBody (headers, body) {
    this.#change('setHeadersAndBody()', { headers: headers || null, body: body ?? null })
  }

  /**
   * Replaces the whole request.
   *
   * @param {object} [request] any of `method path headers body setupRequest onResponse onEvent onMessage`; of the first four, what is
   *   left out is as the run's options say, while hooks that are left out stay
   */
  setRequest (request) {
    const { base, protocol } = this.#forChange()
    const read = readRequest(request || {}, 'setRequest()')
    checkHeads(protocol, [read], 'setRequest()')
    this.#script.sequence.change(overRequest(base, read), hooksOf(read, 'setRequest()'))
  }

  /**
   * Replaces the whole sequence of this connection; it starts again from the first. The results are counted under the
   * endpoints of the same positions, the last one for what is beyond it.
   *
   * @param {object[]} requests as the option of that name
   */
  setRequests (requests) {
    const { base, protocol, withIds, rows } = this.#forChange()
    const { target, train: { endpoints } } = this.#script.connection
    const all = readRequests(requests, 'setRequests()')
    checkHeads(protocol, all, 'setRequests()')
    this.#script.sequence.replace(all.map((read, index) => {
      const hooks = { ...NO_HOOKS, onEvent: base.onEvent, ...hooksOf(read, `setRequests()[${index}]`) }
      const endpoint = endpoints[Math.min(index, endpoints.length - 1)]
      return new Step({ request: overRequest(base, read), index, endpoint, hooks, target, protocol, withIds, rows })
    }))
  }

  // Of the changes, undefined leaves a part as it is, null removes it.
  #change (where, { headers, body }) {
    const { base, protocol } = this.#forChange()
    const { sequence } = this.#script
    checkHeads(protocol, [{ ...(headers !== undefined && { headers }) }], where)
    const { request } = sequence.steps[sequence.current]
    const read = readRequest({ headers, body }, where)
    const from = headers === undefined ? request : { ...request, headers: headers === null ? [] : base.headers }
    sequence.change(overRequest(from, read))
  }

  // With several requests under way nobody could say which one a change is for.
  #forChange () {
    const { plan } = this.#script.owner
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

// The hooks that come with a request. There is no time to load one from a file while requests wait.
function hooksOf (read, where) {
  const given = Object.keys(NO_HOOKS).filter((name) => name in read)
  for (const name of given) {
    if (typeof read[name] === 'string') throw optionError(`${where}.${name}`, read[name], 'a function during the run')
  }
  return Object.fromEntries(given.map((name) => [name, read[name]]))
}

module.exports = Client
