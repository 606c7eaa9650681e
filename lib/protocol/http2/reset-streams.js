'use strict'

// Beyond this number, the oldest entries are forgotten.
const MOST_STREAMS = 4096

/**
 * The streams of one connection that were reset, and by which side: if it was us, the server may already have sent
 * further frames (RFC 9113, section 5.1, closed).
 */
class ResetStreams {
  constructor () {
    this.byUs = null
    /** Entries of streams up to this id may have been forgotten; 0 if none has. */
    this.forgottenUpTo = 0
  }

  /** @param {number} streamId @param {boolean} byUs */
  add (streamId, byUs) {
    this.byUs ??= new Map()
    this.byUs.set(streamId, byUs)
    if (this.byUs.size > MOST_STREAMS) this.forgetOne()
  }

  forgetOne () {
    const oldest = this.byUs.keys().next().value
    this.byUs.delete(oldest)
    this.forgottenUpTo = Math.max(this.forgottenUpTo, oldest)
  }

  /**
   * @param {number} streamId of a stream that has ended
   * @returns {boolean|undefined} whether we reset it, or may have; undefined if neither side did
   */
  wasByUs (streamId) {
    const isByUs = this.byUs?.get(streamId)
    return isByUs === undefined && streamId <= this.forgottenUpTo ? true : isByUs
  }

  /** Called for a new connection, which has new streams. */
  clear () {
    this.byUs = null
    this.forgottenUpTo = 0
  }
}

module.exports = ResetStreams
