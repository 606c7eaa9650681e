'use strict'

const { CannonadeError, CODES } = require('./errors')

/*
 * HdrHistogram's compressed V2 format (base64): a cookie and a length, followed by this in deflated form:
 *
 *     cookie | payload length | normalizing offset | digits | lowest value (64 bit) | highest value (64 bit) | ratio | counts …
 *
 * The header determines how much memory the histogram takes, and the deflated data may expand to a thousand times its length.
 */
const COMPRESSED_COOKIE = 0x1c849304
const COOKIE = 0x1c849303
const HEAD_BYTES = 40
// With three digits up to 2^53, there are 45,000 counts of at most nine bytes each.
const MOST_PLACES = 46_000
const MOST_BYTES = 500_000
const MOST_CHARACTERS = Math.ceil((MOST_BYTES + 1000) * 4 / 3)
const MOST_DIGITS = 3
/** The format that we write: whole microseconds, with the same places as metrics/places.js. */
const DIGITS = 3
const LOWEST = 1
const FORM = { bitBucketSize: 64, lowestDiscernibleValue: LOWEST, highestTrackableValue: 2 * LOWEST, numberOfSignificantValueDigits: DIGITS, useWebAssembly: false }

/**
 * Decodes a histogram that may come from an untrusted file. It is validated before it is decoded.
 *
 * @param {string} encoded
 * @returns {Histogram} of hdr-histogram-js, with 64-bit counts
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with one sentence about what is wrong
 */
function decodeHistogram (encoded) {
  checkCounts(readPairs(contentWithin(encoded)), 0)
  // Loaded only when used: threads that generate load neither write nor read histograms.
  const hdr = require('hdr-histogram-js')
  try {
    return hdr.decodeFromCompressedBase64(encoded, 64, false)
  } catch (cause) {
    throw badHistogram(cause.message, cause)
  }
}

/**
 * Encodes counts of whole microseconds as a histogram with three digits.
 *
 * @param {number[]} pairs a flat list: the distance from the previous non-empty place (initially -1), and the number of values
 *   there, at least one
 * @returns {string}
 */
function encodeCounts (pairs) {
  const hdr = require('hdr-histogram-js')
  const histogram = hdr.build(FORM)
  const last = pairs.reduce((place, value, index) => index % 2 === 0 ? place + value : place, -1)
  // Record the largest place first, so that the histogram grows only once.
  if (last !== -1) histogram.recordValueWithCount(histogram.valueFromIndex(last), 0)
  for (let index = 0, place = -1; index < pairs.length; index += 2) {
    place += pairs[index]
    histogram.recordValueWithCount(histogram.valueFromIndex(place), pairs[index + 1])
  }
  return hdr.encodeIntoCompressedBase64(histogram)
}

/**
 * Decodes the counts of a histogram written by `encodeCounts`, possibly by another program.
 *
 * @param {string} encoded
 * @returns {number[]} pairs, not validated
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function decodeCounts (encoded) {
  const content = contentWithin(encoded)
  const [digits, lowest] = [content.readInt32BE(12), content.readBigInt64BE(16)]
  if (digits !== DIGITS || lowest !== BigInt(LOWEST)) throw badHistogram(`it has ${digits} significant digits from ${lowest} on; expected ${DIGITS} from ${LOWEST} on`)
  return readPairs(content)
}

// Counts are encoded as even numbers; an odd number encodes how many places are empty. Each byte holds seven bits, lowest first. The
// package is not used for this, because it would loop over as many places as the data claims to have.
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
 * Validates counts that may come from a file.
 *
 * @param {number[]} pairs
 * @param {number} [least] minimum number of places
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

// Returns the inflated content.
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
    return require('node:zlib').inflateSync(bytes, { maxOutputLength: MOST_BYTES })
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

// Ignores the bits for the word size, because this format does not depend on it.
function isCookie (bytes, cookie) {
  return (bytes.readInt32BE(0) & ~0xf0) === cookie
}

function badHistogram (why, cause) {
  return new CannonadeError(CODES.BAD_RESULT, `A histogram of the result cannot be read: ${why}`, cause && { cause })
}

module.exports = { checkCounts, decodeCounts, decodeHistogram, encodeCounts }
