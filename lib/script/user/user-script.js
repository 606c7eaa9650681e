'use strict'

const Script = require('../script')
const UserResponse = require('./response')

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

  /** Unlimited here; the session decides how many requests are sent. */
  get supply () {
    return Infinity
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
  keepRefused (entry) {
    entry.call.entry = entry
    this.given.push(entry.call)
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

module.exports = UserScript
