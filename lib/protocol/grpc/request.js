'use strict'

const { encodeRequest, StreamRequest } = require('../http2/request')

/** A call as a request: as any other, but that a message says its length itself. */
function encodeCall (request, target, withIds, tag) {
  const { parts } = encodeRequest(request, target, withIds, tag)
  return new StreamRequest({ ...parts, fields: parts.fields.filter(([name]) => name !== 'content-length') })
}

module.exports = { encodeCall }
