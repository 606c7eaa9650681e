'use strict'

// In the order of their codes.
const STATUSES = [
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION',
  'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'
]
const HEADERS = { 'content-type': 'application/grpc' }
const EMPTY = Buffer.alloc(0)

/**
 * The response of a gRPC server to a call, as an HTTP/2 stream.
 *
 * @param {string|object} answer the name of a status, or an object
 * @param {string} [answer.status='OK'] the name of a status; any other text is sent unchanged; null: no status is sent
 * @param {string} [answer.details] grpc-message
 * @param {?Uint8Array} [answer.message] encoded as protobuf; default: an empty one if the status is OK, otherwise none (null)
 * @param {Buffer} [answer.body] sent instead of the message and its prefix
 * @param {number} [answer.frames=1] number of DATA frames that its bytes are distributed over
 * @param {number} [answer.apart=0] ms between two of them, and before the trailers
 * @param {boolean} [answer.saysLength=false] it has a content-length
 * @param {boolean} [answer.isHeadOnly=false] the status is in the headers, and nothing follows
 * @returns {{ headers: object, pieces: Array<[number, Buffer]>, trailers: ?object, endAfter: number }}
 */
function replyToCall (answer) {
  const { status = 'OK', details, message = status === 'OK' ? EMPTY : null, body, frames = 1, apart = 0, saysLength = false, isHeadOnly = false } = typeof answer === 'string' ? { status: answer } : answer
  const code = STATUSES.indexOf(status)
  const ending = {
    ...status !== null && { 'grpc-status': code === -1 ? status : String(code) },
    ...details !== undefined && { 'grpc-message': encodeURIComponent(details) }
  }
  if (isHeadOnly) return { headers: { ...HEADERS, ...ending }, pieces: [], trailers: null, endAfter: 0 }
  const bytes = body ?? (message === null ? EMPTY : frameMessage(message))
  const count = bytes.length === 0 ? 0 : frames
  const pieces = Array.from({ length: count }, (_, index) => [index * apart, bytes.subarray(index * bytes.length / count, (index + 1) * bytes.length / count)])
  // Without a status, there are no trailers.
  const headers = saysLength ? { ...HEADERS, 'content-length': String(bytes.length) } : HEADERS
  return { headers, pieces, trailers: status === null ? null : ending, endAfter: count * apart }
}

/** Adds the prefix to a message: that it isn't compressed, and its length. */
function frameMessage (message) {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

module.exports = { STATUSES, frameMessage, replyToCall }
