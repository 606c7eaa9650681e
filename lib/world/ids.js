'use strict'

const DIGITS = 9

/*
 * Ids have one length, so that a request keeps its Content-Length and only these bytes change from sending to sending.
 * The random part makes them differ between runs, processes and threads.
 */
class Ids {
  /** @param {Uint8Array} bytes by chance */
  constructor (bytes) {
    this.prefix = Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')
    this.last = 0
  }

  /** @returns {string} ASCII letters and digits */
  next () {
    return this.prefix + (++this.last).toString(36).padStart(DIGITS, '0')
  }
}

/** How many bytes the random part is made of. */
Ids.PREFIX_LENGTH = 12
/** How long each id is. */
Ids.LENGTH = Ids.PREFIX_LENGTH + DIGITS

module.exports = Ids
