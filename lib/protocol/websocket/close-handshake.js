'use strict'

const { closeFrame } = require('./frames')

/** Our part of the closing handshake of one connection (RFC 6455, section 7). */
class CloseHandshake {
  constructor () {
    /**
     * The code of our Close frame: our own, or an echo of the server's (section 5.5.1). Null if the server cannot be reached.
     */
    this.code = null
  }

  /** Whether the server will receive our Close frame, and may reply. */
  get canBegin () {
    return this.code !== null
  }

  /**
   * Sends our Close frame if possible, and gives the server a moment to send its own (section 7.1.1).
   *
   * @param {net.Socket} socket belongs to `closingSockets` if the frame was sent
   * @param {{ recorder: Recorder, closingSockets: ClosingSockets }} owner of the connection
   * @returns {boolean} whether it was sent
   */
  begin (socket, { recorder, closingSockets }) {
    if (this.code === null || !socket.writable) return false
    const frame = closeFrame(this.code)
    recorder.bytesWritten += frame.length
    socket.write(frame)
    closingSockets.add(socket)
    return true
  }
}

module.exports = CloseHandshake
