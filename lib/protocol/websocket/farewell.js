'use strict'

const { closeFrame } = require('./frames')

/** The last word on one connection: the closing handshake (RFC 6455, section 7), as far as it is ours. */
class Farewell {
  constructor () {
    /** Of the Close frame: ours, or the server's own in answer to his (section 5.5.1). Null: the server cannot be spoken to. */
    this.code = null
  }

  /** Whether the server will hear it, and may answer. */
  get isPossible () {
    return this.code !== null
  }

  /**
   * Says it, where that is possible, and leaves the server a moment for its own (section 7.1.1).
   *
   * @param {net.Socket} socket is given away, where it was said
   * @param {{ recorder: Recorder, partings: Partings }} owner of the connection
   * @returns {boolean} whether it was said
   */
  say (socket, { recorder, partings }) {
    if (this.code === null || !socket.writable) return false
    const frame = closeFrame(this.code)
    recorder.bytesWritten += frame.length
    socket.write(frame)
    partings.add(socket)
    return true
  }
}

module.exports = Farewell
