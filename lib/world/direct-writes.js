'use strict'

const { getSystemErrorName } = require('node:util')

// Less than what a stream accepts before it asks its user to wait, so the next write is welcome whether or not this one is complete.
const MOST_BYTES = 16 * 1024 - 1
const NOTHING = Buffer.alloc(0)

// The state of a handle: undefined before it was examined, PENDING while it has something to send. As a property of the socket, whose shape changes
// often while it opens, V8 would look it up more slowly.
const kState = Symbol('state')
const FREE = 1
const PENDING = 2
const UNUSABLE = 3

/**
 * Writes to sockets without the overhead of streams. For each write, a stream of Node.js creates objects and a callback for the next tick,
 * which costs about as much as all of our own code for a request, although the system nearly always takes the bytes at once. So a small
 * write goes directly to the handle of the socket, if nothing else waits to be written:
 *
 *     system takes all   the write is complete
 *     … a part, or none  the handle keeps the rest; until it is sent, other writes go to the stream, whose data the handle sends afterwards
 *     … and fails        the socket is destroyed with the error, as by its stream
 *
 * Handles are internal to Node.js. If one isn't as expected, everything is written to streams: so with Node.js 26, whose streams make fewer objects.
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
   * @param {net.Socket|tls.TLSSocket} socket must be connected, and not ended by us
   * @param {Buffer} bytes must not change until `isFlushed`
   * @returns {boolean} whether the socket accepts more at once
   */
  write (socket, bytes) {
    const handle = bytes.length > MOST_BYTES ? null : this.freeHandleOf(socket)
    if (handle === null) return socket.write(bytes)
    return this.settle(socket, handle, handle.writeBuffer(this.request, bytes), bytes)
  }

  /**
   * Like `socket.write(text, 'latin1')`.
   *
   * @param {net.Socket|tls.TLSSocket} socket must be connected, and not ended by us
   * @param {string} text
   * @returns {boolean} whether the socket accepts more at once
   */
  writeText (socket, text) {
    const handle = text.length > MOST_BYTES ? null : this.freeHandleOf(socket)
    if (handle === null) return socket.write(text, 'latin1')
    return this.settle(socket, handle, handle.writeLatin1String(this.request, text), text)
  }

  /** Whether the system has taken everything that was written to a socket. */
  isFlushed ({ writableLength, _handle: handle }) {
    return writableLength === 0 && handle?.[kState] !== PENDING
  }

  // Null if it is busy or unusable.
  freeHandleOf (socket) {
    const { _handle: handle } = socket
    // Destroyed sockets have none.
    if (!handle) return null
    if (handle[kState] === undefined) this.examine(socket, handle)
    return handle[kState] === FREE && socket.writableLength === 0 && socket.writableCorked === 0 ? handle : null
  }

  // Whether a handle is usable shows only if its stream has nothing else to do.
  examine (socket, handle) {
    if (socket.connecting || socket.writableLength > 0 || socket.writableCorked > 0) return
    handle[kState] = this.isSupported && isUsable(socket, handle) ? FREE : UNUSABLE
    if (handle[kState] === FREE && this.request === null) this.learn(socket, handle)
  }

  // The class of the requests that handles accept is only found in one that a stream has made: for a write of zero bytes.
  learn (socket, handle) {
    handle.writeBuffer = (request, data) => {
      this.WriteRequest = request?.constructor ?? null
      delete handle.writeBuffer
      return handle.writeBuffer(request, data)
    }
    socket.write(NOTHING)
    delete handle.writeBuffer
    this.isSupported = this.WriteRequest?.name === 'WriteWrap' && typeof this.WriteRequest.prototype.getAsyncId === 'function'
    if (this.isSupported) this.renewRequest()
    else handle[kState] = UNUSABLE
  }

  renewRequest () {
    this.request = Object.assign(new this.WriteRequest(), { oncomplete: completed, socket: null, data: null })
  }

  settle (socket, handle, status, data) {
    if (status < 0) {
      destroy(socket, status)
      return false
    }
    // The queue is empty again, but the request still in use, if the system took only a part at first, and the rest right after that.
    if (handle.writeQueueSize > 0 || this.request.getAsyncId() > 0) {
      // The system reads the data from where it is.
      Object.assign(this.request, { socket, data })
      handle[kState] = PENDING
      this.renewRequest()
    }
    return true
  }
}

// With TLS, no write is complete at once.
function isUsable (socket, { writeBuffer, writeLatin1String, writeQueueSize }) {
  return !socket.encrypted && typeof writeBuffer === 'function' && typeof writeLatin1String === 'function' && typeof writeQueueSize === 'number'
}

// Called by the handle, with the request as `this`.
function completed (status, handle) {
  const { socket } = this
  handle[kState] = FREE
  if (status < 0 && !socket.destroyed) destroy(socket, status)
}

function destroy (socket, status) {
  const code = getSystemErrorName(status)
  socket.destroy(Object.assign(new Error(`write ${code}`), { errno: status, code, syscall: 'write' }))
}

module.exports = DirectWrites
