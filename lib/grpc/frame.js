'use strict'

/** Octets before each message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5

/** A message as it goes over the wire. @param {Uint8Array} message @returns {Buffer} */
function frameMessage (message) {
  const framed = Buffer.allocUnsafeSlow(PREFIX_BYTES + message.length)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, PREFIX_BYTES)
  return framed
}

/**
 * The one message of a unary response.
 *
 * @param {Buffer} body
 * @returns {Buffer|string} a text: why there is none, as the end of a sentence
 */
function unframe (body) {
  if (body.length < PREFIX_BYTES) return 'it is not there'
  if (body[0] !== 0) return 'it is compressed, which was not requested'
  const length = body.readUInt32BE(1)
  if (length !== body.length - PREFIX_BYTES) return `it has ${body.length - PREFIX_BYTES} bytes and not the ${length} that it says`
  return body.subarray(PREFIX_BYTES)
}

module.exports = { PREFIX_BYTES, frameMessage, unframe }
