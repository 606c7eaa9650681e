'use strict'

/** A request in the log of a world. What it hangs on is no part of what is compared and printed. */
class Entry {
  #socket
  #stream
  #peer = null

  constructor ({ sentAt, method, path, stream }, socket) {
    this.sentAt = sentAt
    this.method = method
    this.path = path
    this.arrivedAt = null
    this.answeredAt = null
    this.firstByteAt = null
    this.receivedAt = null
    this.answer = null
    this.#socket = socket
    this.#stream = stream
  }

  /** The client's end of its connection. */
  get socket () { return this.#socket }

  /** Of HTTP/2: its number. */
  get stream () { return this.#stream }

  /** The server's end of its connection, when it has arrived. */
  get peer () { return this.#peer }

  /**
   * It has arrived.
   *
   * @param {object} peer the server's end of its connection
   * @param {number} number of all that have arrived at the server, from 0
   * @param {number} numberOnConnection the same of this connection
   */
  arrived (peer, number, numberOnConnection) {
    const { world } = peer.server
    this.number = number
    this.connection = peer.number
    this.numberOnConnection = numberOnConnection
    this.at = world.elapsed
    this.arrivedAt = world.scheduler.time
    this.answer = null
    this.#peer = peer
  }
}

module.exports = Entry
