'use strict'

const world = require('../../world')
const { NO_ERROR, errorName } = require('./constants')
const { goawayFrame } = require('./frames')
const { isUnread } = require('./outgoing')

// How long a server gets to hear why we have ended the connection.
const PATIENCE_MS = 500

/** GOAWAY (RFC 9113, section 6.8): what the server has said of the end of a connection, and what we say. */
class LeaveTaking {
  constructor () {
    this.begin()
  }

  /** A new connection: nobody has said anything. */
  begin () {
    /** The last of our streams that the server takes; Infinity: it takes all. */
    this.lastStreamId = Infinity
    /** Why the server leaves, as a sentence; null where it gave no reason, or that has been told. */
    this.reason = null
    /** Our code, where it is not NO_ERROR. */
    this.code = null
  }

  /** Whether the server has said that it leaves. */
  get isByServer () {
    return this.lastStreamId !== Infinity
  }

  /** GOAWAY has come. @returns {boolean} false: it takes back what an earlier one said */
  hear (lastId, code, text) {
    if (lastId > this.lastStreamId) return false
    this.lastStreamId = lastId
    if (code !== NO_ERROR) {
      const said = text === '' ? '' : `: ${text}`
      this.reason = `the server ended the connection with GOAWAY (${errorName(code)})${said}`
    }
    return true
  }

  /** @returns {?string} why the server leaves, this once */
  takeReason () {
    const { reason } = this
    this.reason = null
    return reason
  }

  /**
   * The last word (section 5.4.1), where the server may still hear it. A socket that is closed while something comes in
   * takes back what it has sent, so the code of an error is given a moment to arrive.
   *
   * @param {net.Socket} socket
   * @param {Recorder} recorder
   * @returns {boolean} whether the socket ends by itself
   */
  say (socket, recorder) {
    if (!socket.writable || isUnread(socket)) return false
    // What is held together with something else would be lost.
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

module.exports = LeaveTaking
