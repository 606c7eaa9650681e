'use strict'

const { TableState } = require('./hpack/encoder')

/*
 * The requests of one target, in sequence order, for its connections. Each is encoded once for each state of a header
 * table in which it is sent; in most runs there are two, the first and all later ones.
 */
class RequestSet {
  /**
   * @param {StreamRequest[]} requests
   * @param {number[]} endpoints the endpoint of the result under which each request is counted
   */
  constructor (requests, endpoints) {
    this.requests = requests
    this.endpoints = Uint32Array.from(endpoints)
    this.headEndpoints = new Set(endpoints.filter((_, index) => requests[index].isHead))
    /** Whether requests close their connection; this is an option of the run, so it holds for all or none. */
    this.closes = requests.some((request) => request.closes)
    this.places = null
    this.states = new Map()
    requests.forEach((request, index) => { request.index = index })
  }

  /** The request that is counted under an endpoint. */
  requestOf (endpoint) {
    this.places ??= new Map(Array.from(this.endpoints, (each, place) => [each, place]))
    return this.requests[this.places.get(endpoint)]
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
      // Limited, since a server may request different sizes again and again.
      if (this.states.size < 16) this.states.set(capacity, state)
    }
    return state
  }

  /** @returns {Wire} the request as it is sent in this state */
  wire (request, state) {
    if (request.index < 0) return request.encode(state, false)
    state.blocks[request.index] ??= request.encode(state, request.isRepeatable)
    return state.blocks[request.index]
  }
}

module.exports = RequestSet
