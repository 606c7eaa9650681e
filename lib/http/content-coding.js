'use strict'

const zlib = require('node:zlib')
const { decodeZstd } = require('./zstd')

// Nobody codes a body more often than that; each coding may make it a thousand times as large.
const MOST_CODINGS = 5

const DECODERS = new Map(Object.entries({
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: inflate,
  br: zlib.brotliDecompressSync,
  zstd: decodeZstd,
  identity: (bytes) => bytes
}))

// It should be in the format of zlib, and often is not. That format begins with a byte whose low half is 8.
function inflate (bytes, options) {
  return (bytes[0] & 15) === 8 ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options)
}

/**
 * A body without its content codings (RFC 9110, section 8.4).
 *
 * @param {Buffer} bytes
 * @param {string} contentEncoding of the response: codings in the order in which they were applied
 * @param {number} longest how many bytes it may have, after each step
 * @returns {Buffer}
 * @throws where it cannot be decoded; the message says why
 */
function decodeBody (bytes, contentEncoding, longest) {
  const codings = contentEncoding.toLowerCase().split(',').map((coding) => coding.trim()).filter((coding) => coding !== '')
  if (codings.length > MOST_CODINGS) throw new Error(`it has more than ${MOST_CODINGS} codings`)
  return codings.reverse().reduce((coded, coding) => {
    const decode = DECODERS.get(coding)
    if (decode === undefined) throw new Error('this coding is not known')
    return decode(coded, { maxOutputLength: longest })
  }, bytes)
}

module.exports = decodeBody
