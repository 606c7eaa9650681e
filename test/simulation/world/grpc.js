'use strict'

// By their codes.
const STATUSES = [
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION',
  'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'
]
const HEADERS = { 'content-type': 'application/grpc' }
const EMPTY = Buffer.alloc(0)

/**
 * How a server of gRPC answers a call, as a stream of HTTP/2.
 *
 * @param {string|object} answer a status by its name, or
 * @param {string} [answer.status='OK'] by its name; any other text is said as it is; null: none is said
 * @param {string} [answer.details] grpc-message
 * @param {?Uint8Array} [answer.message] of protobuf, by default an empty one where the status is OK and else none, which is null
 * @param {Buffer} [answer.body] what stands in place of the message and its prefix
 * @param {number} [answer.frames=1] over how many DATA frames its bytes are spread
 * @param {number} [answer.apart=0] how many ms lie between two of them, and before the trailers
 * @param {boolean} [answer.isHeadOnly=false] the status is said in the head, and nothing follows
 * @returns {{ headers: object, pieces: Array<[number, Buffer]>, trailers: ?object, endAfter: number }}
 */
function replyToCall (answer) {
  const { status = 'OK', details, message = status === 'OK' ? EMPTY : null, body, frames = 1, apart = 0, isHeadOnly = false } = typeof answer === 'string' ? { status: answer } : answer
  const code = STATUSES.indexOf(status)
  const ending = {
    ...status !== null && { 'grpc-status': code === -1 ? status : String(code) },
    ...details !== undefined && { 'grpc-message': encodeURIComponent(details) }
  }
  if (isHeadOnly) return { headers: { ...HEADERS, ...ending }, pieces: [], trailers: null, endAfter: 0 }
  const bytes = body ?? (message === null ? EMPTY : frameMessage(message))
  const count = bytes.length === 0 ? 0 : frames
  const pieces = Array.from({ length: count }, (_, index) => [index * apart, bytes.subarray(index * bytes.length / count, (index + 1) * bytes.length / count)])
  // Without a status nothing stands behind the message, but for its end.
  return { headers: HEADERS, pieces, trailers: status === null ? null : ending, endAfter: count * apart }
}

/** A message with its prefix: that it is not compressed, and its length. */
function frameMessage (message) {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

module.exports = { STATUSES, frameMessage, replyToCall }
