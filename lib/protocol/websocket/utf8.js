'use strict'

const { isUtf8 } = require('node:buffer')

// Below it a loop is quicker than a call that leaves JavaScript.
const SHORT_BYTES = 48

/**
 * Whether all of a text is UTF-8 (RFC 3629): of a text that is there as a whole.
 *
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} end
 */
function isText (buffer, start, end) {
  if (end - start <= SHORT_BYTES) {
    let index = start
    while (index < end && buffer[index] < 0x80) index++
    if (index === end) return true
  }
  return isUtf8(buffer.subarray(start, end))
}

/**
 * The same for a text that comes in pieces, without keeping it. A character may be cut anywhere, so what is remembered is how
 * many octets of it are missing and between which bounds the next one has to be: the first two octets tell what is too
 * long, a surrogate, or beyond the last character.
 */
class TextCheck {
  constructor () {
    this.reset()
  }

  reset () {
    this.missing = 0
    this.low = 0x80
    this.high = 0xbf
    this.isBroken = false
  }

  /** Whether what has come is a text that ends here. */
  get isWhole () {
    return !this.isBroken && this.missing === 0
  }

  add (buffer, start, end) {
    if (this.isBroken) return
    if (this.missing === 0 && isText(buffer, start, end)) return
    for (let index = start; index < end && !this.isBroken; index++) this.take(buffer[index])
  }

  take (octet) {
    if (this.missing > 0) {
      if (octet < this.low || octet > this.high) this.isBroken = true
      this.low = 0x80
      this.high = 0xbf
      this.missing--
    } else if (octet >= 0x80) {
      this.begin(octet)
    }
  }

  begin (octet) {
    if (octet < 0xc2 || octet > 0xf4) {
      this.isBroken = true
      return
    }
    this.missing = octet < 0xe0 ? 1 : octet < 0xf0 ? 2 : 3
    if (octet === 0xe0) this.low = 0xa0
    else if (octet === 0xf0) this.low = 0x90
    else if (octet === 0xed) this.high = 0x9f
    else if (octet === 0xf4) this.high = 0x8f
  }
}

module.exports = { isText, TextCheck }
