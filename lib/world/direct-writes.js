'use strict'

const { getSystemErrorName } = require('node:util')

// Less than what a stream accepts before it asks its user to wait, so the next write is welcome whether or not this one is complete.
const MOST_BYTES = 16 * 1024 - 1

const kPending = Symbol('pending')

/**
 * Writes to sockets without the overhead of streams. For each write, a stream of Node.js creates objects and a callback for the next tick,
 * which costs about as much as all of our own code for a request, although the system nearly always takes the bytes at once. So a small
 * write goes directly to the handle of the socket, if nothing else waits to be written:
 *
 *     system takes all   the write is complete
 *     … a part, or none  the handle keeps the rest; until it is sent, other writes go to the stream, whose data the handle sends afterwards
 *     … and fails        the socket is destroyed with the error, as by its stream
 *
 * Handles are internal to Node.js. If one isn't as expected, everything is written to streams.
 */
class DirectWrites {
  constructor () {
    this.isSupported = true
    this.WriteRequest = null
    /** For the next write: what is complete at once leaves no trace in it. Null until its class is known. */
    this.request = null
  }

  /**
   * Like `socket.write(bytes)`.
   *
   * @param {net.Socket|tls.TLSSocket} socket
   * @param {Buffer} bytes must not change until `isFlushed`
   * @returns {boolean} whether the socket accepts more at once
   */
  write (socket, bytes) {
    const handle = socket._handle
    if (bytes.length > MOST_BYTES || !this.isFree(socket, handle)) return socket.write(bytes)
    if (this.request === null) return this.learn(socket, handle, bytes)
    return this.settle(socket, handle, handle.writeBuffer(this.request, bytes), bytes)
  }

  /**
   * Like `socket.write(text, 'latin1')`.
   *
   * @param {net.Socket|tls.TLSSocket} socket
   * @param {string} text
   * @returns {boolean} whether the socket accepts more at once
   */
  writeText (socket, text) {
    const handle = socket._handle
    if (text.length > MOST_BYTES || !this.isFree(socket, handle)) return socket.write(text, 'latin1')
    if (this.request === null) return this.learn(socket, handle, Buffer.from(text, 'latin1'))
    return this.settle(socket, handle, handle.writeLatin1String(this.request, text), text)
  }

  /** Whether the system has taken everything that was written to a socket. */
  isFlushed (socket) {
    return socket.writableLength === 0 && !socket[kPending]
  }

  // With TLS, no write is complete at once.
  isFree (socket, handle) {
    return this.isSupported && handle && !socket.encrypted && !socket.connecting && !socket.writableEnded && socket.writableLength === 0 &&
      socket.writableCorked === 0 && !socket[kPending]
  }

  // The class of the requests that handles accept is only found in one that a stream has created.
  learn (socket, handle, bytes) {
    this.isSupported = typeof handle.writeBuffer === 'function' && typeof handle.writeLatin1String === 'function' && handle.writeQueueSize === 0
    if (!this.isSupported) return socket.write(bytes)
    handle.writeBuffer = (request, data) => {
      this.WriteRequest = request.constructor
      delete handle.writeBuffer
      return handle.writeBuffer(request, data)
    }
    const takesMore = socket.write(bytes)
    delete handle.writeBuffer
    this.isSupported = this.WriteRequest?.name === 'WriteWrap'
    if (this.isSupported) this.renewRequest()
    return takesMore
  }

  renewRequest () {
    this.request = Object.assign(new this.WriteRequest(), { oncomplete: completed, socket: null, data: null })
  }

  settle (socket, handle, status, data) {
    if (status < 0) {
      destroy(socket, status)
      return false
    }
    if (handle.writeQueueSize > 0) {
      // The system reads the data from where it is.
      Object.assign(this.request, { socket, data })
      socket[kPending] = true
      this.renewRequest()
    }
    return true
  }
}

// Called by the handle, with the request as `this`.
function completed (status) {
  const { socket } = this
  socket[kPending] = false
  if (status < 0 && !socket.destroyed) destroy(socket, status)
}

function destroy (socket, status) {
  const code = getSystemErrorName(status)
  socket.destroy(Object.assign(new Error(`write ${code}`), { errno: status, code, syscall: 'write' }))
}

module.exports = DirectWrites
