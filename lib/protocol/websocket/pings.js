'use strict'

const { pingFrame, pongFrame } = require('./frames')

// Of those that come together, the latest ones.
const MOST_ANSWERS = 16

/** Pings of one connection (RFC 6455, section 5.5.2): the server's, which are answered, and ours. */
class Pings {
  /** @param {WebSocketConnection} connection */
  constructor (connection) {
    this.connection = connection
    this.reset()
  }

  /** Begins afresh, for a new connection. */
  reset () {
    /** What is in those that have no answer, the latest at the end. */
    this.unanswered = []
  }

  /** The server has sent one. */
  came (buffer, start, end) {
    this.connection.owner.recorder.messages.pings++
    if (this.unanswered.length === MOST_ANSWERS) this.unanswered.shift()
    this.unanswered.push(Buffer.from(buffer.subarray(start, end)))
  }

  /** Of a flood the latest would be enough (section 5.5.3). None is answered where the server does not read what it is told. */
  answer () {
    const { unanswered } = this
    if (unanswered.length === 0) return
    this.unanswered = []
    if (this.connection.outgoing.isRead) this.connection.put(Buffer.concat(unanswered.map(pongFrame)))
  }

  send () {
    if (this.connection.outgoing.isRead) this.connection.put(pingFrame())
  }
}

module.exports = Pings
