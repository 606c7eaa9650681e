'use strict'

const world = require('../../world')
const { FIN, RSV1, MASK, CLOSE, PING, PONG, NO_STATUS } = require('./constants')

const MASK_BYTES = 4
const EMPTY = Buffer.alloc(0)

/** The length of a frame header, with the mask, for a payload of this length. */
function headerLength (length) {
  return MASK_BYTES + (length < 126 ? 2 : length < 65536 ? 4 : 10)
}

/**
 * Encodes a whole frame as a client sends it (RFC 6455, section 5.2): masked, with a random key (section 5.3).
 *
 * @param {number} opcode
 * @param {Buffer} payload is not modified
 * @param {boolean} [isDeflated] the payload is compressed (RFC 7692, section 6)
 * @returns {Buffer}
 */
function encodeFrame (opcode, payload, isDeflated = false) {
  const { length } = payload
  const start = headerLength(length)
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = FIN | (isDeflated ? RSV1 : 0) | opcode
  if (length < 126) {
    frame[1] = MASK | length
  } else if (length < 65536) {
    frame[1] = MASK | 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = MASK | 127
    frame.writeUInt32BE(Math.floor(length / 2 ** 32), 2)
    frame.writeUInt32BE(length >>> 0, 6)
  }
  world.fillRandom(frame, start - MASK_BYTES, start)
  payload.copy(frame, start)
  maskFrom(frame, start, start, start + length)
  return frame
}

/**
 * Masks or unmasks a part of a frame's payload.
 *
 * @param {Buffer} frame
 * @param {number} payloadStart where its payload begins, right after the masking key
 * @param {number} start
 * @param {number} end
 */
function maskFrom (frame, payloadStart, start, end) {
  const key = payloadStart - MASK_BYTES
  for (let index = start; index < end; index++) frame[index] ^= frame[key + ((index - payloadStart) & 3)]
}

/** Creates a Close frame; with NO_STATUS, it has no code. */
function closeFrame (code) {
  if (code === NO_STATUS) return encodeFrame(CLOSE, EMPTY)
  const payload = Buffer.allocUnsafe(2)
  payload.writeUInt16BE(code)
  return encodeFrame(CLOSE, payload)
}

function pingFrame () {
  return encodeFrame(PING, EMPTY)
}

/** Creates the reply to a Ping with this payload (section 5.5.3). */
function pongFrame (payload) {
  return encodeFrame(PONG, payload)
}

module.exports = { encodeFrame, maskFrom, headerLength, closeFrame, pingFrame, pongFrame }
