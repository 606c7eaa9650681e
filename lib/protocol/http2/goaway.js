'use strict'

const world = require('../../world')
const { NO_ERROR, errorName } = require('./constants')
const { goawayFrame } = require('./frames')
const { isUnread } = require('./outgoing')

// How long the server has to receive our reason for closing the connection.
const PATIENCE_MS = 500

/** GOAWAY on one connection (RFC 9113, section 6.8): the server's, and ours. */
class Goaway {
  constructor () {
    this.begin()
  }

  /** Begins a new connection, without a GOAWAY of either side. */
  begin () {
    /** The last of our streams that the server accepts; Infinity: it has sent no GOAWAY. */
    this.lastStreamId = Infinity
    /** The server's reason, as a sentence; null if it gave none, or if it has been reported. */
    this.reason = null
    /** The code of our GOAWAY; null: NO_ERROR. */
    this.code = null
  }

  /** Whether the server has sent GOAWAY. */
  get isByServer () {
    return this.lastStreamId !== Infinity
  }

  /** The server has sent GOAWAY. @returns {boolean} false: it contradicts an earlier one */
  received (lastId, code, text) {
    if (lastId > this.lastStreamId) return false
    this.lastStreamId = lastId
    if (code !== NO_ERROR) {
      const said = text === '' ? '' : `: ${text}`
      this.reason = `the server ended the connection with GOAWAY (${errorName(code)})${said}`
    }
    return true
  }

  /** @returns {?string} the server's reason, once */
  takeReason () {
    const { reason } = this
    this.reason = null
    return reason
  }

  /**
   * Sends our GOAWAY (section 5.4.1) if the server may still read it. If a socket is closed while data arrives, its unsent output
   * is discarded, so an error code is given a moment to arrive.
   *
   * @param {net.Socket} socket
   * @param {Recorder} recorder
   * @returns {boolean} whether the socket closes by itself
   */
  send (socket, recorder) {
    if (!socket.writable || isUnread(socket)) return false
    // Corked data would be lost.
    while (socket.writableCorked > 0) socket.uncork()
    const frame = goawayFrame(this.code ?? NO_ERROR)
    recorder.bytesWritten += frame.length
    socket.write(frame)
    if (this.code === null) return false
    socket.end()
    const timer = world.setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.once('close', () => world.clearTimeout(timer))
    return true
  }
}

module.exports = Goaway
