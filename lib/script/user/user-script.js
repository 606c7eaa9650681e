'use strict'

const isSuccess = require('../../http/success')
const Script = require('../script')

/**
 * Connects a connection to the calls of user code: sends those that its session gives it, and hands their responses back. Each entry
 * has its `call`.
 */
class UserScript extends Script {
  /**
   * @param {Connection} connection
   * @param {UserVisit} visit
   * @param {object} base the request that a call is merged into
   * @param {?Navigation} navigation for cookies and redirects
   * @param {object} protocol
   * @param {number} timeout of the run, ms
   * @param {Client} [client] the client of another connection of the same session
   */
  constructor (connection, visit, base, navigation, protocol, timeout, client) {
    super(connection, null, base, navigation, protocol, client)
    this.visit = visit
    this.timeout = timeout
    /** Calls that the connection has accepted but not written. */
    this.given = []
  }

  // --- requests

  /** The session decides how many requests are sent. Behind one that asks to close its connection, none could be. */
  get supply () {
    const last = this.given.findIndex(({ entry }) => entry.encoded.closes)
    return last === -1 ? Infinity : last + 1
  }

  get untilClosing () {
    return Infinity
  }

  get isSpent () {
    return false
  }

  nextEntry () {
    return this.given.shift().entry
  }

  transmit (entry) {
    if (entry.call.timeout !== null) this.hasTimeouts = true
    super.transmit(entry)
  }

  /** The connection then returns the request to the session, as one that was not written. */
  keepRefused ({ call }) {
    this.given.push(call)
  }

  /** The call whose request is, or was last, in a slot. */
  callIn (slot) {
    return this.entries[slot]?.call ?? null
  }

  // --- timeouts of single calls

  timeoutOf (slot) {
    return this.entries[slot]?.call.timeout ?? this.timeout
  }

  /** When the request in a slot would have been due if it had the timeout of the run, and the same deadline. */
  startOf (slot, dueAt) {
    return dueAt[slot] + this.timeoutOf(slot) - this.timeout
  }

  // --- responses

  readsResponse () {
    return true
  }

  reportResponse ({ call, step }, status, text, fields, milliseconds) {
    this.visit.completed(call, new UserResponse(status, fields, text, milliseconds), step, this.connection.now)
  }

  redirect (entry) {
    this.visit.redirected(entry.call, entry, this.connection.now)
  }
}

/** The response to a call of user code. */
class UserResponse {
  #fields

  /**
   * @param {number} status
   * @param {HeaderFields} fields
   * @param {string} body decoded
   * @param {number} latency ms, as it is counted in `latency`
   */
  constructor (status, fields, body, latency) {
    this.status = status
    /** Whether the status is 2xx. */
    this.ok = isSuccess(status)
    this.body = body
    this.latency = latency
    this.#fields = fields
  }

  /** By lower-case name; a repeated header has an array. Built when it is read, since most code reads none. */
  get headers () {
    const headers = this.#fields.toLowerCase()
    Object.defineProperty(this, 'headers', { value: headers, enumerable: true, writable: true, configurable: true })
    return headers
  }

  /** The body, parsed as JSON. @throws SyntaxError if it is not JSON */
  json () {
    return JSON.parse(this.body)
  }
}

module.exports = UserScript
