'use strict'

const { isUtf8 } = require('node:buffer')

/*
 * A word of a shell is bytes, and mostly text. Bytes that are no UTF-8 stand in it as lone surrogates, U+DC80 to U+DCFF, which no
 * text has: so it can be looked through and taken apart as a text, and what is sent has the bytes again.
 */

const ESCAPED = /([\udc80-\udcff])/u
const ALL_ESCAPED = /[\udc80-\udcff]/gu
const RUN = /[\udc80-\udcff]+/gu
const FIRST = 0xdc00
const LONGEST_CHARACTER = 4

/** A byte of more than 127 as it stands in a word. */
function escapedByte (byte) {
  return String.fromCharCode(FIRST + byte)
}

/** A word in which those of such bytes that are UTF-8 together have become characters. */
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

/** The bytes of a word as a text that has a character for each; what is ASCII stays as it is. */
function toLatin1 (word) {
  return toBytes(word).toString('latin1')
}

/** Bytes as a part of a URL. @param {RegExp} plain the characters that stay as they are */
function encodedBytes (bytes, plain) {
  let encoded = ''
  for (const sign of bytes.toString('latin1')) encoded += plain.test(sign) ? sign : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return encoded
}

/** The same for a word. */
function percentEncoded (word, plain) {
  return encodedBytes(toBytes(word), plain)
}

/** A word as a URL has it: bytes that are no text percent-encoded, all else as it is. */
function inUrl (word) {
  return word.replace(ALL_ESCAPED, (byte) => `%${(byte.charCodeAt(0) - FIRST).toString(16).toUpperCase()}`)
}

/** Whether it is a text, all of it. */
function isText (word) {
  return !ESCAPED.test(word)
}

module.exports = { encodedBytes, escapedByte, inUrl, isText, joined, percentEncoded, toBytes, toLatin1, toText }
