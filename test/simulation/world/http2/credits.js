'use strict'

/**
 * The window in which a client receives the bodies of a stream, or of all together: what it has taken it gives back with
 * WINDOW_UPDATE, all of it, and no later than when half of the window is used up.
 */
class Credits {
  /** @param {string} whose for a person */
  constructor (whose, full) {
    this.whose = whose
    this.full = full
    this.received = 0
    this.credited = 0
    /** What had been received with each frame that has come in this turn. */
    this.marks = []
  }

  /** A DATA frame has come: its payload with its padding. */
  receive (length) {
    this.received += length
    this.marks.push(this.received)
  }

  /** A WINDOW_UPDATE has been written. */
  credit (increment) {
    this.credited += increment
    if (this.marks.includes(this.credited)) return
    throw new Error(`it credits ${increment} octets to ${this.whose}, ${this.credited} in all, of ${this.received} that it has received (${this.marks.join(', ')} with the last frames)`)
  }

  /** All that has come has been read. */
  settle (isOver) {
    this.marks.length = 0
    const left = this.full - (this.received - this.credited)
    if (!isOver && left < this.full / 2) throw new Error(`it leaves ${left} octets of the ${this.full} of ${this.whose}, and gives none back`)
  }
}

module.exports = Credits
