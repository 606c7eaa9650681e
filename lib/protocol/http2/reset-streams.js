'use strict'

// What still comes for an older one is taken for one that has ended.
const MOST_STREAMS = 4096

/**
 * The streams of one connection that are over before their time, and who said so: frames that were on their way then may
 * still come, where it was us (RFC 9113, section 5.1, closed).
 */
class ResetStreams {
  constructor () {
    this.byUs = null
  }

  /** @param {number} streamId @param {boolean} byUs */
  add (streamId, byUs) {
    this.byUs ??= new Map()
    this.byUs.set(streamId, byUs)
    if (this.byUs.size > MOST_STREAMS) this.byUs.delete(this.byUs.keys().next().value)
  }

  /** @returns {boolean|undefined} whether it was us who reset it; undefined: nobody has */
  wasByUs (streamId) {
    return this.byUs?.get(streamId)
  }

  /** For a new connection, whose streams are others. */
  clear () {
    this.byUs = null
  }
}

module.exports = ResetStreams
