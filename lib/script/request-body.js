'use strict'

const world = require('../world')

// Without this limit, a stream that never waits, with a server that reads immediately, would block all other connections.
const BYTES_IN_A_TURN = 256 * 1024

/**
 * The body of one request, written as its stream produces it, and no faster than the connection accepts it.
 */
class RequestBody {
  /**
   * @param {object} writer of the connection, after the head has been written: `write(bytes)` returns whether more may be
   *   written at once, `onDrain(callback)` calls when it may again, `end()` ends the body
   * @param {?number} length its Content-Length; null if it has none
   */
  constructor (writer, length) {
    this.writer = writer
    this.length = length
    this.given = 0
    this.turnEnds = BYTES_IN_A_TURN
    this.isCancelled = false
    this.stream = null
    this.resume = null
  }

  /**
   * Writes the whole body.
   *
   * @param {function(object): (AsyncIterable|Iterable|Promise)} source returns the stream
   * @param {object} context the user's context, passed to the source
   * @returns {Promise<boolean>} whether the body is complete; false after `cancel`. Rejects if the stream or its source
   *   fails, if it is not a stream, or if its length differs from its Content-Length
   */
  async send (source, context) {
    try {
      for await (const piece of this.piecesOf(await source(context))) {
        if (this.isCancelled) return false
        if (!this.write(toBytes(piece))) await this.drained()
        else if (this.given >= this.turnEnds) await this.nextTurn()
        if (this.isCancelled) return false
      }
      if (!this.isCancelled) this.end()
      return !this.isCancelled
    } catch (error) {
      if (this.isCancelled) return false
      this.cancel()
      throw error
    }
  }

  piecesOf (stream) {
    const isStream = typeof stream === 'object' && stream !== null && !ArrayBuffer.isView(stream) &&
      (Symbol.asyncIterator in stream || Symbol.iterator in stream)
    if (!isStream) throw new TypeError('it must return a readable stream or another iterable of strings and bytes')
    this.stream = stream
    // A cancelled stream may still emit errors, and an unhandled one would crash the process.
    stream.on?.('error', () => {})
    if (this.isCancelled) this.letGo()
    return stream
  }

  /** @returns {boolean} whether the connection accepts more at once */
  write (piece) {
    if (piece.length === 0) return true
    this.given += piece.length
    if (this.length !== null && this.given > this.length) {
      throw new RangeError(`it yields more than the ${this.length} bytes of its Content-Length`)
    }
    return this.writer.write(piece)
  }

  end () {
    if (this.length !== null && this.given < this.length) {
      throw new RangeError(`it yields ${this.given} bytes, less than the ${this.length} of its Content-Length`)
    }
    this.writer.end()
  }

  drained () {
    return new Promise((resolve) => {
      this.resume = resolve
      this.writer.onDrain(resolve)
    })
  }

  nextTurn () {
    this.turnEnds = this.given + BYTES_IN_A_TURN
    return new Promise((resolve) => world.setImmediate(resolve))
  }

  /** Stops writing and ends the stream. */
  cancel () {
    if (this.isCancelled) return
    this.isCancelled = true
    this.resume?.()
    this.letGo()
  }

  // Destroying a stream lets it close what it has opened, such as a file. A suspended iterator is ended when it continues.
  letGo () {
    this.stream?.destroy?.()
  }
}

function toBytes (piece) {
  if (typeof piece === 'string') return Buffer.from(piece)
  if (piece instanceof Uint8Array) return piece
  throw new TypeError('it must yield strings or bytes')
}

module.exports = RequestBody
