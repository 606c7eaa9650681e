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
/** What we write: whole microseconds, in the places that metrics/places.js has. */
const DIGITS = 3
const LOWEST = 1
const FORM = { bitBucketSize: 64, lowestDiscernibleValue: LOWEST, highestTrackableValue: 2 * LOWEST, numberOfSignificantValueDigits: DIGITS, useWebAssembly: false }

/**
 * A histogram that may come from a file, and so from anybody: it is looked at before it is decoded.
 *
 * @param {string} encoded
 * @returns {Histogram} of hdr-histogram-js, with 64-bit counts
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with one sentence that says what is wrong
 */
function decodeHistogram (encoded) {
  checkCounts(readPairs(contentWithin(encoded)), 0)
  // Loaded where it is used: a thread counts, and neither writes nor reads one.
  const hdr = require('hdr-histogram-js')
  try {
    return hdr.decodeFromCompressedBase64(encoded, 64, false)
  } catch (cause) {
    throw badHistogram(cause.message, cause)
  }
}

/**
 * Counts of whole microseconds as a histogram of three digits.
 *
 * @param {number[]} pairs how many places after the last one that is not 0 (the first: after -1), and how many values are
 *   there: at least one
 * @returns {string}
 */
function encodeCounts (pairs) {
  const hdr = require('hdr-histogram-js')
  const histogram = hdr.build(FORM)
  const last = pairs.reduce((place, value, index) => index % 2 === 0 ? place + value : place, -1)
  // So it grows once, and not with each that is larger.
  if (last !== -1) histogram.recordValueWithCount(histogram.valueFromIndex(last), 0)
  for (let index = 0, place = -1; index < pairs.length; index += 2) {
    place += pairs[index]
    histogram.recordValueWithCount(histogram.valueFromIndex(place), pairs[index + 1])
  }
  return hdr.encodeIntoCompressedBase64(histogram)
}

/**
 * The counts of a histogram that `encodeCounts` has written, maybe elsewhere.
 *
 * @param {string} encoded
 * @returns {number[]} pairs; what they say is to be checked
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function decodeCounts (encoded) {
  const content = contentWithin(encoded)
  const [digits, lowest] = [content.readInt32BE(12), content.readBigInt64BE(16)]
  if (digits !== DIGITS || lowest !== BigInt(LOWEST)) throw badHistogram(`it has ${digits} significant digits from ${lowest} on; expected ${DIGITS} from ${LOWEST} on`)
  return readPairs(content)
}

// A count is an even number, and a negative one says how many places have none; seven bits a byte, the low ones first. Not by
// the package: it would walk through as many places as somebody says there are.
function readPairs (content) {
  const end = HEAD_BYTES + content.readInt32BE(4)
  const pairs = []
  let gap = 1
  for (let at = HEAD_BYTES; at < end;) {
    let number = 0
    let byte = 0x80
    for (let shift = 1; byte >= 0x80 && at < end; shift *= 0x80) {
      byte = content[at++]
      number += (byte & 0x7f) * shift
    }
    if (number % 2 === 1) {
      gap += (number + 1) / 2
    } else if (number === 0) {
      gap++
    } else {
      pairs.push(gap, number / 2)
      gap = 1
    }
  }
  return pairs
}

/**
 * Looks at counts that may come from a file.
 *
 * @param {number[]} pairs
 * @param {number} [least] how many places they must have
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function checkCounts (pairs, least = 1) {
  let places = 0
  const isPair = (at) => pairs[at] >= 1 && Number.isSafeInteger(pairs[at]) && pairs[at + 1] >= 1 && Number.isSafeInteger(pairs[at + 1])
  for (let at = 0; at < pairs.length; at += 2) {
    if (!isPair(at)) throw badHistogram(`at ${at} its counts are not whole numbers of 1 or more`)
    places += pairs[at]
  }
  if (!(places >= least && places <= MOST_PLACES)) throw badHistogram(`it has ${places} places, and not ${least} to ${MOST_PLACES}`)
}

// What is deflated in it.
function contentWithin (encoded) {
  if (typeof encoded !== 'string') throw badHistogram('it is not a string')
  if (encoded.length > MOST_CHARACTERS) throw badHistogram(`it is longer than ${MOST_CHARACTERS} characters`)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length < 8 || !isCookie(bytes, COMPRESSED_COOKIE)) throw badHistogram('it is not in the compressed form V2')
  const content = inflate(bytes.subarray(8, 8 + bytes.readUInt32BE(4)))
  const flaw = content.length < HEAD_BYTES || !isCookie(content, COOKIE) ? 'its content is not a histogram' : flawOfHead(content)
  if (flaw !== null) throw badHistogram(flaw)
  return content
}

function inflate (bytes) {
  try {
    return zlib.inflateSync(bytes, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    throw badHistogram(error.code === 'ERR_BUFFER_TOO_LARGE' ? `its content is longer than ${MOST_BYTES} bytes` : 'it cannot be decompressed')
  }
}

function flawOfHead (content) {
  const [length, digits] = [content.readInt32BE(4), content.readInt32BE(12)]
  const [lowest, highest] = [content.readBigInt64BE(16), content.readBigInt64BE(24)]
  if (length < 0 || length > content.length - HEAD_BYTES) return 'its counts are truncated'
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

module.exports = { checkCounts, decodeCounts, decodeHistogram, encodeCounts }
