'use strict'

const zlib = require('node:zlib')
const { CannonadeError, CODES } = require('./errors')

/*
 * HdrHistogram's compressed V2 form (base64): a cookie and a length, then deflated
 *
 *     cookie | payload length | normalizing offset | digits | lowest value (64 bit) | highest value (64 bit) | ratio | counts …
 *
 * Its head decides how much memory the histogram takes, and what is deflated may be a thousand times as long as it looks.
 */
const COMPRESSED_COOKIE = 0x1c849304
const COOKIE = 0x1c849303
const HEAD_BYTES = 40
// With three digits up to 2^53 there are 45,000 counts, of at most nine bytes each.
const MOST_PLACES = 46_000
const MOST_BYTES = 500_000
const MOST_CHARACTERS = Math.ceil((MOST_BYTES + 1000) * 4 / 3)
const MOST_DIGITS = 3

/**
 * A histogram that may come from a file, and so from anybody: it is looked at before it is decoded.
 *
 * @param {string} encoded
 * @returns {Histogram} of hdr-histogram-js, with 64-bit counts
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with one sentence that says what is wrong
 */
function decodeHistogram (encoded) {
  const flaw = flawOf(encoded)
  if (flaw !== null) throw badHistogram(flaw)
  // Loaded here: every run reads thresholds, and few of them read a histogram.
  const hdr = require('hdr-histogram-js')
  try {
    return hdr.decodeFromCompressedBase64(encoded, 64, false)
  } catch (cause) {
    throw badHistogram(cause.message, cause)
  }
}

function flawOf (encoded) {
  if (typeof encoded !== 'string') return 'it is no text'
  if (encoded.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS} characters`
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length < 8 || !isCookie(bytes, COMPRESSED_COOKIE)) return 'it is not in the compressed form V2'
  let content
  try {
    content = zlib.inflateSync(bytes.subarray(8, 8 + bytes.readUInt32BE(4)), { maxOutputLength: MOST_BYTES })
  } catch (error) {
    return error.code === 'ERR_BUFFER_TOO_LARGE' ? `its content is longer than ${MOST_BYTES} bytes` : 'it cannot be decompressed'
  }
  return content.length < HEAD_BYTES || !isCookie(content, COOKIE) ? 'its content is no histogram' : flawOfHead(content)
}

function flawOfHead (content) {
  const [length, digits] = [content.readInt32BE(4), content.readInt32BE(12)]
  const [lowest, highest] = [content.readBigInt64BE(16), content.readBigInt64BE(24)]
  if (length < 0 || length > content.length - HEAD_BYTES) return 'its counts are cut short'
  if (digits < 1 || digits > MOST_DIGITS) return `it has ${digits} significant digits, and not 1 to ${MOST_DIGITS}`
  if (lowest < 1n || highest < 2n * lowest || highest > BigInt(Number.MAX_SAFE_INTEGER)) return `it goes from ${lowest} to ${highest}`
  return null
}

// Of the word size, which stands in one of its places, nothing depends in this form.
function isCookie (bytes, cookie) {
  return (bytes.readInt32BE(0) & ~0xf0) === cookie
}

function badHistogram (why, cause) {
  return new CannonadeError(CODES.BAD_RESULT, `A histogram of the result cannot be read: ${why}`, cause && { cause })
}

module.exports = { badHistogram, decodeHistogram, MOST_PLACES }
