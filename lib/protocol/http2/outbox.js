'use strict'

const world = require('../../world')
const TraceIds = require('../../world/trace-ids')

const ROOM_BYTES = 65536

/*
 * A buffer that collects requests so that they are sent in one write. All connections of a thread share it, one after the
 * other; each takes its bytes before the next one adds any.
 *
 *     [ written, on its way | put in, not taken |     free     ]
 *     0                     from                at
 *
 * Most writes are complete when `write` returns, so their space can be reused at once; otherwise the next bytes are added
 * after them.
 */
class Outbox {
  constructor () {
    this.buffer = Buffer.allocUnsafeSlow(ROOM_BYTES)
    this.viewed = null
    this.from = 0
    this.at = 0
    /** The last piece that was taken, and its start: the next one is often the same, and creating it costs 80 ns. */
    this.piece = null
    this.pieceFrom = 0
  }

  /** Adds the frames of one request. @returns {number} where they begin */
  add (wire, streamId, id, withBody) {
    if (this.at + wire.length > this.buffer.length) this.makeRoom(wire.length)
    const { at } = this
    this.at = wire.write(this.buffer, at, streamId, id, withBody)
    return at
  }

  /** The buffer as `TraceIds.write` takes it. */
  get view () {
    if (this.viewed?.buffer !== this.buffer.buffer) this.viewed = TraceIds.viewOf(this.buffer)
    return this.viewed
  }

  makeRoom (length) {
    const waiting = this.buffer.subarray(this.from, this.at)
    const larger = Buffer.allocUnsafeSlow(Math.max(ROOM_BYTES, 2 * (waiting.length + length)))
    this.at = waiting.copy(larger)
    this.from = 0
    this.buffer = larger
    this.piece = null
  }

  /** @returns {?Buffer} the bytes added since the last call; null if there are none */
  take () {
    if (this.from === this.at) return null
    const length = this.at - this.from
    if (this.piece === null || this.pieceFrom !== this.from || this.piece.length !== length) {
      this.piece = this.buffer.subarray(this.from, this.at)
      this.pieceFrom = this.from
    }
    return this.piece
  }

  /** Must be called after the bytes were written to the socket. */
  written (socket) {
    if (world.isFlushed(socket)) this.at = this.from
    else this.from = this.at
  }
}

module.exports = Outbox
