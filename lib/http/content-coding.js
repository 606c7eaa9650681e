'use strict'

const zlib = require('node:zlib')
const { decodeZstd } = require('./zstd')

// More codings than this are never used in practice, and each may expand a body a thousandfold.
const MOST_CODINGS = 5

const DECODERS = new Map(Object.entries({
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: inflate,
  br: zlib.brotliDecompressSync,
  zstd: decodeZstd,
  identity: (bytes) => bytes
}))

// `deflate` should be in zlib format, but often isn't. That format begins with a byte whose low half is 8.
function inflate (bytes, options) {
  return (bytes[0] & 15) === 8 ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options)
}

/**
 * Decodes the content codings of a body (RFC 9110, section 8.4).
 *
 * @param {Buffer} bytes
 * @param {string} contentEncoding of the response: the codings in the order in which they were applied
 * @param {number} longest maximum size in bytes after each step
 * @returns {Buffer}
 * @throws if it can't be decoded; the message says why
 */
function decodeBody (bytes, contentEncoding, longest) {
  const codings = contentEncoding.toLowerCase().split(',').map((coding) => coding.trim()).filter((coding) => coding !== '')
  if (codings.length > MOST_CODINGS) throw new Error(`it has more than ${MOST_CODINGS} codings`)
  return codings.reverse().reduce((coded, coding) => {
    const decode = DECODERS.get(coding)
    if (decode === undefined) throw new Error('this coding is unknown')
    return decode(coded, { maxOutputLength: longest })
  }, bytes)
}

module.exports = decodeBody
