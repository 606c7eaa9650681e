'use strict'

const { encodeRequest, StreamRequest } = require('../http2/request')

/**
 * Encodes a call: like any HTTP/2 request, but without content-length, since a gRPC message contains its own length.
 */
function encodeCall (request, target, withIds, tag) {
  const { parts } = encodeRequest(request, target, withIds, tag)
  return new StreamRequest({ ...parts, fields: parts.fields.filter(([name]) => name !== 'content-length') })
}

module.exports = { encodeCall }
