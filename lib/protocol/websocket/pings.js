'use strict'

const { pingFrame, pongFrame } = require('./frames')

// If more Pings arrive together, only the latest of them are answered.
const MOST_ANSWERS = 16

/** The Pings of one connection (RFC 6455, section 5.5.2): replies to the server's, and our own. */
class Pings {
  /** @param {WebSocketConnection} connection */
  constructor (connection) {
    this.connection = connection
    this.reset()
  }

  /** Starts over for a new connection. */
  reset () {
    /** The payloads of unanswered Pings, the latest last. */
    this.unanswered = []
  }

  /** Handles a Ping from the server. */
  came (buffer, start, end) {
    this.connection.owner.recorder.messages.pings++
    if (this.unanswered.length === MOST_ANSWERS) this.unanswered.shift()
    this.unanswered.push(Buffer.from(buffer.subarray(start, end)))
  }

  /**
   * Replies to Pings, though the latest alone would suffice (section 5.5.3). If the server is not reading our data, none is
   * sent.
   */
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
