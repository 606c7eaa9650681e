'use strict'

/**
 * Checks the receive window of a client, of one stream or of the connection: the client must return all that it has read with
 * WINDOW_UPDATE, at the latest when half of the window is used up.
 */
class Credits {
  /** @param {string} whose a description for messages */
  constructor (whose, full) {
    this.whose = whose
    this.full = full
    this.received = 0
    this.credited = 0
    /** The total received after each frame of this turn. */
    this.marks = []
  }

  /** A DATA frame has arrived: its payload including padding. What ends a stream need not be given back, as nothing follows it. */
  receive (length, isLast = false) {
    this.received += length
    if (!isLast) this.marks.push(this.received)
  }

  /** A WINDOW_UPDATE has been written. */
  credit (increment) {
    this.credited += increment
    if (this.marks.includes(this.credited)) return
    throw new Error(`it credits ${increment} octets to ${this.whose}, ${this.credited} in all, of ${this.received} that it has received (${this.marks.join(', ')} with the last frames)`)
  }

  /** Everything that has arrived has been read. */
  settle (isOver) {
    this.marks.length = 0
    const left = this.full - (this.received - this.credited)
    if (!isOver && left < this.full / 2) throw new Error(`it leaves ${left} octets of the ${this.full} of ${this.whose}, and gives none back`)
  }
}

module.exports = Credits
