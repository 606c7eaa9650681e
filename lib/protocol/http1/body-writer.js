'use strict'

const CRLF = Buffer.from('\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** How a body that comes in pieces goes over a connection: as it is where its length was told, else in chunks (RFC 9112, section 7.1). */
class BodyWriter {
  /**
   * @param {import('node:net').Socket} socket to which the head has been written
   * @param {boolean} isChunked
   * @param {function(number)} onWritten hears how many bytes went out
   */
  constructor (socket, isChunked, onWritten) {
    this.socket = socket
    this.isChunked = isChunked
    this.onWritten = onWritten
  }

  /** @returns {boolean} whether the connection takes more at once */
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
