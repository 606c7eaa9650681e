'use strict'

// With more of them it is no more known of the oldest who said so.
const MOST_STREAMS = 4096

/**
 * The streams of one connection that are over before their time, and who said so: frames that were on their way then may
 * still come, where it was us (RFC 9113, section 5.1, closed).
 */
class ResetStreams {
  constructor () {
    this.byUs = null
    /** Streams up to this one are not told apart any more; 0: all are. */
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
   * @param {number} streamId of a stream that is over
   * @returns {boolean|undefined} whether it was us who reset it, or may have been; undefined: nobody has
   */
  wasByUs (streamId) {
    const isByUs = this.byUs?.get(streamId)
    return isByUs === undefined && streamId <= this.forgottenUpTo ? true : isByUs
  }

  /** For a new connection, whose streams are others. */
  clear () {
    this.byUs = null
    this.forgottenUpTo = 0
  }
}

module.exports = ResetStreams
