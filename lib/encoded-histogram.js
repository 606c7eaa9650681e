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
// In the place of the word size: counts take as many bytes as they need.
const WORDS_AS_NEEDED = 0x10
const MOST_BYTES_OF_COUNT = 9
/** What we write: whole microseconds, in places as metrics/places.js has them. */
const DIGITS = 3
const LOWEST = 1n
const PLACES_BEFORE_DOUBLING = 2048
const PLACES_OF_DOUBLING = 1024
// So that a histogram of few counts takes half the time; what is short comes out the same.
const SHORT_BYTES = 4096
const SHORT = { windowBits: 12, memLevel: 5, chunkSize: 1024 }

/**
 * A histogram that may come from a file, and so from anybody: it is looked at before it is decoded.
 *
 * @param {string} encoded
 * @returns {Histogram} of hdr-histogram-js, with 64-bit counts
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, with one sentence that says what is wrong
 */
function decodeHistogram (encoded) {
  contentWithin(encoded)
  // Loaded here: every run reads thresholds, and few of them read a histogram.
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
  const content = contentOf(pairs)
  const deflated = zlib.deflateSync(content, content.length <= SHORT_BYTES ? SHORT : undefined)
  const head = Buffer.alloc(8)
  head.writeInt32BE(COMPRESSED_COOKIE | WORDS_AS_NEEDED, 0)
  head.writeInt32BE(deflated.length, 4)
  return Buffer.concat([head, deflated]).toString('base64')
}

function contentOf (pairs) {
  const content = Buffer.allocUnsafe(HEAD_BYTES + pairs.length * MOST_BYTES_OF_COUNT)
  let end = HEAD_BYTES
  let places = 0
  for (let index = 0; index < pairs.length; index += 2) {
    const gap = pairs[index]
    places += gap
    // One place without a value is a 0, several are a negative number.
    if (gap > 1) end = writeNumber(content, end, gap === 2 ? 0 : 1 - gap)
    end = writeNumber(content, end, pairs[index + 1])
  }
  content.writeInt32BE(COOKIE | WORDS_AS_NEEDED, 0)
  content.writeInt32BE(end - HEAD_BYTES, 4)
  content.writeInt32BE(0, 8)
  content.writeInt32BE(DIGITS, 12)
  content.writeBigInt64BE(LOWEST, 16)
  content.writeBigInt64BE(highestWithin(places), 24)
  content.writeBigInt64BE(1n, 32)
  return content.subarray(0, end)
}

// The largest value for which there is a place, where memory is for whole doublings.
function highestWithin (places) {
  const doublings = Math.max(0, Math.ceil((places - PLACES_BEFORE_DOUBLING) / PLACES_OF_DOUBLING))
  return BigInt(PLACES_BEFORE_DOUBLING) * 2n ** BigInt(doublings) - 1n
}

// Zigzag, so that small numbers are short whatever their sign, and then seven bits a byte, the low ones first. A ninth byte has
// eight; no safe integer needs it.
function writeNumber (bytes, at, number) {
  let rest = number < 0 ? -2 * number - 1 : 2 * number
  while (rest >= 0x80) {
    bytes[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  bytes[at] = rest
  return at + 1
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
  const digits = content.readInt32BE(12)
  const lowest = content.readBigInt64BE(16)
  if (digits !== DIGITS || lowest !== LOWEST) throw badHistogram(`it has ${digits} significant digits from ${lowest} on, and not ${DIGITS} from ${LOWEST} on`)
  return readPairs(content, HEAD_BYTES + content.readInt32BE(4))
}

function readPairs (content, end) {
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

// What is deflated in it.
function contentWithin (encoded) {
  if (typeof encoded !== 'string') throw badHistogram('it is no text')
  if (encoded.length > MOST_CHARACTERS) throw badHistogram(`it is longer than ${MOST_CHARACTERS} characters`)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length < 8 || !isCookie(bytes, COMPRESSED_COOKIE)) throw badHistogram('it is not in the compressed form V2')
  const content = inflate(bytes.subarray(8, 8 + bytes.readUInt32BE(4)))
  const flaw = content.length < HEAD_BYTES || !isCookie(content, COOKIE) ? 'its content is no histogram' : flawOfHead(content)
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

module.exports = { badHistogram, decodeCounts, decodeHistogram, encodeCounts, MOST_PLACES }
