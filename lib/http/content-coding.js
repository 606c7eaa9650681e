'use strict'

const zlib = require('node:zlib')

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

// RFC 8878, section 3.1.
const MAGIC = 0xfd2fb528
const MAGIC_BYTES = 4
const FIRST_SKIPPABLE = 0x184d2a50
const LAST_SKIPPABLE = 0x184d2a5f
const DICTIONARY_ID_BYTES = [0, 1, 2, 4]
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]
const BLOCK_HEADER_BYTES = 3
const CHECKSUM_BYTES = 4
// More frames than this don't occur in practice, and each costs a call.
const MOST_FRAMES = 10_000
const RUN_BLOCK = 1
const RESERVED_BLOCK = 3

/**
 * Decodes a zstd body frame by frame. Node.js decodes only the first frame, and some of its versions accept truncated data as
 * complete.
 *
 * @param {Buffer} bytes
 * @param {{ maxOutputLength: number }} options
 * @returns {Buffer}
 * @throws if it can't be decoded; the message says why
 */
function decodeZstd (bytes, { maxOutputLength }) {
  if (zlib.zstdDecompressSync === undefined) throw new Error(`Node.js ${process.version} cannot decode it; 22.15 and 23.8 and later can`)
  const contents = []
  let left = maxOutputLength
  for (const [start, end] of framesOf(bytes)) {
    const content = zlib.zstdDecompressSync(bytes.subarray(start, end), { maxOutputLength: Math.max(1, left) })
    left -= content.length
    if (left < 0) throw new Error(`it is longer than ${maxOutputLength} bytes`)
    contents.push(content)
  }
  return Buffer.concat(contents)
}

/**
 * Returns the positions of the frames of a body that have content.
 *
 * @param {Buffer} bytes
 * @returns {Array<[number, number]>}
 * @throws if a frame is incomplete or invalid
 */
function framesOf (bytes) {
  const frames = []
  for (let at = 0; at < bytes.length;) {
    const magic = numberAt(bytes, at, MAGIC_BYTES)
    const isSkippable = magic >= FIRST_SKIPPABLE && magic <= LAST_SKIPPABLE
    if (magic !== MAGIC && !isSkippable) throw new Error('it is not zstd')
    const end = isSkippable ? at + 2 * MAGIC_BYTES + numberAt(bytes, at + MAGIC_BYTES, 4) : endOfFrame(bytes, at + MAGIC_BYTES)
    if (end > bytes.length) throw cutShort()
    if (!isSkippable && frames.push([at, end]) > MOST_FRAMES) throw new Error(`it has more than ${MOST_FRAMES} frames`)
    at = end
  }
  return frames
}

function endOfFrame (bytes, descriptorAt) {
  const descriptor = numberAt(bytes, descriptorAt, 1)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6] || (isSingleSegment ? 1 : 0)
  let at = descriptorAt + 1 + (isSingleSegment ? 0 : 1) + DICTIONARY_ID_BYTES[descriptor & 3] + sizeBytes
  for (let isLast = false; !isLast;) {
    const header = numberAt(bytes, at, BLOCK_HEADER_BYTES)
    const type = (header >> 1) & 3
    if (type === RESERVED_BLOCK) throw new Error('it has a block of an unknown type')
    isLast = (header & 1) === 1
    at += BLOCK_HEADER_BYTES + (type === RUN_BLOCK ? 1 : header >> 3)
  }
  return at + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES)
}

function numberAt (bytes, at, length) {
  if (at + length > bytes.length) throw cutShort()
  return bytes.readUIntLE(at, length)
}

function cutShort () {
  return new Error('it is truncated')
}

module.exports = { decodeBody, framesOf }
