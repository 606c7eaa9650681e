'use strict'

const http2 = require('../http2')
const CallTemplate = require('./call-template')
const Connection = require('./connection')
const { encodeCall } = require('./request')

/** gRPC: calls as HTTP/2 requests. See protocol/index.js for what each of these is. */
module.exports = { ...http2, Connection, RequestTemplate: CallTemplate, encodeRequest: encodeCall, encodedBefore: ['grpc', 'message', 'metadata'] }
