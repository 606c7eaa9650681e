'use strict'

const { isUtf8 } = require('node:buffer')

// For shorter texts, a loop is faster than a native call.
const SHORT_BYTES = 48

/**
 * Whether a complete text is valid UTF-8 (RFC 3629).
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
 * Checks a text that arrives in pieces, without keeping it. A character may be split anywhere, so this remembers how many of
 * its octets are missing and the bounds for the next one: the first two octets determine whether it is an overlong encoding,
 * a surrogate, or beyond the last character.
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

  /** Whether the text so far is valid and may end here. */
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
