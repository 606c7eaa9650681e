'use strict'

const { pingFrame, pongFrame } = require('./frames')

// Of answers that a server does not read.
const MOST_UNREAD_BYTES = 1024 * 1024

/** Pings of one connection (RFC 6455, section 5.5.2): the server's, which are answered, and ours. */
class Pings {
  /** @param {WebSocketConnection} connection */
  constructor (connection) {
    this.connection = connection
    this.reset()
  }

  /** Begins afresh, for a new connection. */
  reset () {
    /** What is in the last one that has no answer; null: there is none. */
    this.last = null
  }

  /** The server has sent one. */
  came (buffer, start, end) {
    this.connection.owner.recorder.messages.pings++
    this.last = Buffer.from(buffer.subarray(start, end))
  }

  /** Of several the latest is enough (section 5.5.3), and none where the server does not read what it is answered. */
  answer () {
    const { last } = this
    if (last === null) return
    this.last = null
    if (this.mayAnswer) this.connection.put(pongFrame(last))
  }

  /** Whether the server reads what it is answered. */
  get mayAnswer () {
    return this.connection.socket.writableLength <= MOST_UNREAD_BYTES
  }

  send () {
    if (this.mayAnswer) this.connection.put(pingFrame())
  }
}

module.exports = Pings
