'use strict'

const world = require('../world')

// A stream that never waits, to a server that reads at once, must not keep all other connections from their turn.
const BYTES_IN_A_TURN = 256 * 1024

/**
 * The body of one request, written piece by piece as its stream gives it, and no faster than the connection takes it.
 */
class RequestBody {
  /**
   * @param {object} writer of the connection, on which the head has been written: `write(bytes)` takes a piece and says
   *   whether it takes more at once, `onDrain(callback)` calls when it does again, `end()` says that this was all
   * @param {?number} length what its Content-Length says; null: nothing
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
   * Writes all of it.
   *
   * @param {function(object): (AsyncIterable|Iterable|Promise)} source gives the stream
   * @param {object} context of the user's, for the source
   * @returns {Promise<boolean>} whether it is all there, false after `cancel`; rejects with what the stream or its source
   *   fails with, and where it is no stream or is not as long as its Content-Length
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
    // One that is cancelled may still complain, and nobody listens any more.
    stream.on?.('error', () => {})
    if (this.isCancelled) this.letGo()
    return stream
  }

  /** @returns {boolean} whether the connection takes more at once */
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

  /** Writes no more, and ends the stream. */
  cancel () {
    if (this.isCancelled) return
    this.isCancelled = true
    this.resume?.()
    this.letGo()
  }

  // What opened something for it, such as a file, gets the chance to close it. An iterator that waits hears when it goes on.
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
