'use strict'

/**
 * How far the response to a request has come: when its first byte, the end of its status line and its last event came, ms. NaN: it has
 * not come to that.
 */
class Progress {
  constructor (firstByteAt, statusLineAt, eventAt = NaN) {
    this.firstByteAt = firstByteAt
    this.statusLineAt = statusLineAt
    this.eventAt = eventAt
  }
}

/** Of what has no response yet. */
const NO_PROGRESS = Object.freeze(new Progress(NaN, NaN))

module.exports = { Progress, NO_PROGRESS }
