'use strict'

const { isUtf8 } = require('node:buffer')

/*
 * A shell word is a sequence of bytes, usually UTF-8. Here it is a string in which each byte that is not part of valid
 * UTF-8 is a lone surrogate, U+DC80 to U+DCFF, which real text never contains. So words can be searched and split as
 * strings, and still be converted back to the original bytes to send.
 */

const ESCAPED = /([\udc80-\udcff])/u
const ALL_ESCAPED = /[\udc80-\udcff]/gu
const RUN = /[\udc80-\udcff]+/gu
const FIRST = 0xdc00
const LONGEST_CHARACTER = 4

/** Returns the character that represents a byte above 127 in a word. */
function escapedByte (byte) {
  return String.fromCharCode(FIRST + byte)
}

/** Returns a word in which escaped bytes that together form valid UTF-8 are replaced by the characters. */
function joined (word) {
  return word.replace(RUN, (run) => toText(Buffer.from(run, 'utf16le').filter((_, index) => index % 2 === 0)))
}

/** @param {Buffer} bytes @returns {string} */
function toText (bytes) {
  if (isUtf8(bytes)) return bytes.toString()
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = lengthOfText(bytes, at)
    text += length === 0 ? escapedByte(bytes[at]) : bytes.toString('utf8', at, at + length)
    at += Math.max(1, length)
  }
  return text
}

function lengthOfText (bytes, at) {
  for (let length = Math.min(LONGEST_CHARACTER, bytes.length - at); length > 0; length--) {
    if (isUtf8(bytes.subarray(at, at + length))) return length
  }
  return 0
}

/** @param {string} word @returns {Buffer} */
function toBytes (word) {
  if (!ESCAPED.test(word)) return Buffer.from(word)
  return Buffer.concat(word.split(ESCAPED).map((part, index) => index % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) - FIRST])))
}

/** Returns the bytes of a word as a string with one character per byte; ASCII stays unchanged. */
function toLatin1 (word) {
  return toBytes(word).toString('latin1')
}

/** Percent-encodes bytes. @param {RegExp} plain the characters that stay unchanged */
function encodedBytes (bytes, plain) {
  let encoded = ''
  for (const sign of bytes.toString('latin1')) encoded += plain.test(sign) ? sign : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return encoded
}

/** Like `encodedBytes`, for a word. */
function percentEncoded (word, plain) {
  return encodedBytes(toBytes(word), plain)
}

/** Percent-encodes only those bytes of a word that are not text, for use in a URL. */
function inUrl (word) {
  return word.replace(ALL_ESCAPED, (byte) => `%${(byte.charCodeAt(0) - FIRST).toString(16).toUpperCase()}`)
}

/** Whether a word contains only text. */
function isText (word) {
  return !ESCAPED.test(word)
}

module.exports = { encodedBytes, escapedByte, inUrl, isText, joined, percentEncoded, toBytes, toLatin1, toText }
