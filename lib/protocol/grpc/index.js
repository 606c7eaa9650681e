'use strict'

const http2 = require('../http2')
const CallTemplate = require('./call-template')
const Connection = require('./connection')
const { encodeCall } = require('./request')

/** gRPC: calls as requests of HTTP/2. What each of these is, the protocols' own index says. */
module.exports = { ...http2, Connection, RequestTemplate: CallTemplate, encodeRequest: encodeCall, encodedBefore: ['grpc', 'message', 'metadata'] }
