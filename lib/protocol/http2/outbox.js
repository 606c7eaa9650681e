'use strict'

const ROOM_BYTES = 65536

/*
 * Where requests are written together before they go out: those that may start leave in one write. One of these serves all
 * connections of a thread, one after the other; each takes what it has put in before the next comes.
 *
 *     [ written, on its way | put in, not taken |     free     ]
 *     0                     from                at
 *
 * Most writes are done when `write` returns, and their place is free again; for the others it goes on behind them.
 */
class Outbox {
  constructor () {
    this.buffer = Buffer.allocUnsafeSlow(ROOM_BYTES)
    this.from = 0
    this.at = 0
    /** What was taken last, and from where: the next time it is often the same piece, and to make one costs 80 ns. */
    this.piece = null
    this.pieceFrom = 0
  }

  /** Puts in the frames of one request. */
  add (wire, streamId, id, withBody) {
    if (this.at + wire.length > this.buffer.length) this.makeRoom(wire.length)
    this.at = wire.write(this.buffer, this.at, streamId, id, withBody)
  }

  makeRoom (length) {
    const waiting = this.buffer.subarray(this.from, this.at)
    const larger = Buffer.allocUnsafeSlow(Math.max(ROOM_BYTES, 2 * (waiting.length + length)))
    this.at = waiting.copy(larger)
    this.from = 0
    this.buffer = larger
    this.piece = null
  }

  /** @returns {?Buffer} what was put in since the last call; null: nothing */
  take () {
    if (this.from === this.at) return null
    const length = this.at - this.from
    if (this.piece === null || this.pieceFrom !== this.from || this.piece.length !== length) {
      this.piece = this.buffer.subarray(this.from, this.at)
      this.pieceFrom = this.from
    }
    return this.piece
  }

  /** It was written to a socket. */
  written (socket) {
    if (socket.writableLength === 0) this.at = this.from
    else this.from = this.at
  }
}

module.exports = Outbox
