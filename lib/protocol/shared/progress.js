'use strict'

/**
 * How much of a response has arrived: the times of its first byte, the end of its status line and its last event, ms (NaN if it
 * has not arrived), and its status (null if it is not known).
 */
class Progress {
  constructor (firstByteAt, statusLineAt, eventAt = NaN, status = null) {
    this.firstByteAt = firstByteAt
    this.statusLineAt = statusLineAt
    this.eventAt = eventAt
    this.status = status
  }
}

/** The progress of a request without a response so far. */
const NO_PROGRESS = Object.freeze(new Progress(NaN, NaN))

module.exports = { Progress, NO_PROGRESS }
