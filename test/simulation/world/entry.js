'use strict'

/** A request in the log of a world. Its connection is private, so that it is neither compared nor printed. */
class Entry {
  #socket
  #stream
  #peer = null
  #request

  constructor (request, socket) {
    const { sentAt, method, path, stream } = request
    this.#request = request
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

  /** With HTTP/2: the number of its stream. */
  get stream () { return this.#stream }

  /** The values of its header fields `traceparent`. */
  get traceparents () {
    return this.#valuesOf('traceparent')
  }

  /** The values of its header fields of this name, in lower case, in order. */
  header (name) {
    return this.#valuesOf(name)
  }

  /** All that was sent of its head: of HTTP/1, as it was sent, and of HTTP/2, its fields. */
  get text () {
    const { fields, head } = this.#request
    return fields?.join('\n') ?? head ?? `${this.method} ${this.path}`
  }

  /** The value of its header field `Cookie`, which HTTP/2 may split. */
  get cookie () {
    return this.#valuesOf('cookie').join('; ')
  }

  #valuesOf (name) {
    const { fields, head } = this.#request
    if (fields !== undefined) return fields.filter((field) => field[0] === name).map(([, value]) => value)
    return head === undefined ? [] : Array.from(head.matchAll(new RegExp(`\\r\\n${name}: ([^\\r]*)`, 'gi')), ([, value]) => value)
  }

  /** The server's end of its connection, once the request has arrived. */
  get peer () { return this.#peer }

  /**
   * The request has arrived.
   *
   * @param {object} peer the server's end of its connection
   * @param {number} number its number among all requests that arrived at the server, starting at 0
   * @param {number} numberOnConnection the same for this connection
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
