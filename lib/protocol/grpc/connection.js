'use strict'

const Http2Connection = require('../http2/connection')
const CallResponses = require('./responses')

/** An HTTP/2 connection for unary gRPC calls; only the end of a call is determined differently. */
class GrpcConnection extends Http2Connection {
  createResponses (plan, hooks) {
    return new CallResponses(this, plan, hooks)
  }
}

module.exports = GrpcConnection
