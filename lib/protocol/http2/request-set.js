'use strict'

const { TableState } = require('./hpack/encoder')

/*
 * The requests of one target, in the order of the sequence, for its connections. Each is encoded once for each state of a
 * connection's header table in which it is sent, which is twice in most runs: at first, and from then on.
 */
class RequestSet {
  /**
   * @param {StreamRequest[]} requests
   * @param {number[]} endpoints under which of the result's endpoints each is counted
   */
  constructor (requests, endpoints) {
    this.requests = requests
    this.endpoints = Uint32Array.from(endpoints)
    this.headEndpoints = new Set(endpoints.filter((_, index) => requests[index].isHead))
    /** Whether each request ends its connection: it is the run that says so, or no request. */
    this.closes = requests.some((request) => request.closes)
    this.states = new Map()
    requests.forEach((request, index) => { request.index = index })
  }

  /** Whether an endpoint's method is HEAD, so that its responses have no body. */
  isHead (endpoint) {
    return this.headEndpoints.size > 0 && this.headEndpoints.has(endpoint)
  }

  /** The state of an empty header table. @param {number} capacity octets */
  emptyTable (capacity) {
    let state = this.states.get(capacity)
    if (state === undefined) {
      state = new TableState(capacity)
      // A server may ask for any size, again and again.
      if (this.states.size < 16) this.states.set(capacity, state)
    }
    return state
  }

  /** @returns {Wire} the request as it goes out in this state */
  wire (request, state) {
    if (request.index < 0) return request.encode(state, false)
    state.blocks[request.index] ??= request.encode(state, request.isRepeatable)
    return state.blocks[request.index]
  }
}

module.exports = RequestSet
