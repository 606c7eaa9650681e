'use strict'

const CRLF = Buffer.from('\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Writes a request body that comes in pieces: unchanged if its length is known, otherwise in chunks (RFC 9112, section 7.1). */
class BodyWriter {
  /**
   * @param {import('node:net').Socket} socket the head has already been written to it
   * @param {boolean} isChunked
   * @param {function(number)} onWritten gets the number of bytes written
   */
  constructor (socket, isChunked, onWritten) {
    this.socket = socket
    this.isChunked = isChunked
    this.onWritten = onWritten
  }

  /** @returns {boolean} whether the connection accepts more at once */
  write (piece) {
    if (!this.isChunked) {
      this.onWritten(piece.length)
      return this.socket.write(piece)
    }
    const size = Buffer.from(`${piece.length.toString(16)}\r\n`)
    this.onWritten(size.length + piece.length + CRLF.length)
    this.socket.cork()
    this.socket.write(size)
    this.socket.write(piece)
    const takesMore = this.socket.write(CRLF)
    this.socket.uncork()
    return takesMore
  }

  onDrain (callback) {
    this.socket.once('drain', callback)
  }

  end () {
    if (!this.isChunked) return
    this.onWritten(LAST_CHUNK.length)
    this.socket.write(LAST_CHUNK)
  }
}

module.exports = BodyWriter
