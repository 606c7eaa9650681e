'use strict'

const http2 = require('../http2')
const { CallTemplate, encodeCall } = require('./call-request')
const CallResponses = require('./responses')

/** An HTTP/2 connection for unary gRPC calls; only the end of a call is determined differently. */
class GrpcConnection extends http2.Connection {
  createResponses (plan, hooks) {
    return new CallResponses(this, plan, hooks)
  }
}

/** gRPC: calls as HTTP/2 requests. See protocol/index.js for what each of these is. */
module.exports = { ...http2, Connection: GrpcConnection, RequestTemplate: CallTemplate, encodeRequest: encodeCall, encodedBefore: ['grpc', 'message', 'metadata'] }
