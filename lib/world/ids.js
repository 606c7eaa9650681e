'use strict'

const DIGITS = 9

/*
 * All ids have the same length, so that a request keeps its Content-Length and only these bytes change each time it is sent.
 * The random part makes them unique across runs, processes and threads.
 */
class Ids {
  /** @param {Uint8Array} bytes random bytes */
  constructor (bytes) {
    this.prefix = Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')
    this.last = 0
  }

  /** @returns {string} ASCII letters and digits */
  next () {
    return this.prefix + (++this.last).toString(36).padStart(DIGITS, '0')
  }
}

/** Number of bytes for the random part. */
Ids.PREFIX_LENGTH = 12
/** The length of an id. */
Ids.LENGTH = Ids.PREFIX_LENGTH + DIGITS

module.exports = Ids
