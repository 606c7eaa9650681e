'use strict'

const Script = require('./script')

/**
 * The script of a connection of a session. All connections of the session share its sequence, which also keeps the requests that wait to
 * be sent by any of them. Each request is sent with its own due time.
 */
class VisitScript extends Script {
  /**
   * @param {Connection} connection
   * @param {Visit} visit
   * @param {VisitSequence} sequence
   * @param {object} base see Script
   * @param {?Navigation} navigation
   * @param {object} protocol
   * @param {Client} [client] the client of another connection of the same session
   */
  constructor (connection, visit, sequence, base, navigation, protocol, client) {
    super(connection, sequence, base, navigation, protocol, client)
    this.visit = visit
  }

  get ahead () {
    return this.sequence.kept.map(({ entry }) => entry)
  }

  nextEntry () {
    return this.sequence.next(this.connection.oldestPrepared)
  }

  keepSetUp (entry, dueAt) {
    this.sequence.keep(entry, dueAt)
  }

  keepRefused (entry, dueAt) {
    this.sequence.keep(entry, dueAt)
  }

  redirect (entry) {
    this.sequence.keep(entry, this.connection.now)
  }
}

module.exports = VisitScript
