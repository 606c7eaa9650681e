'use strict'

const Http2Connection = require('../http2/connection')
const CallResponses = require('./responses')

/** A connection of HTTP/2 whose requests are unary calls of gRPC: what is different is how one says that it has ended. */
class GrpcConnection extends Http2Connection {
  createResponses (plan, hooks) {
    return new CallResponses(this, plan, hooks)
  }
}

module.exports = GrpcConnection
