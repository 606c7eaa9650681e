'use strict'

const Sockets = require('../transport/sockets')
const http1 = require('./http1')

/**
 * Returns the protocol of a plan. It is chosen only here.
 *
 * A protocol has `Connection` (see connection.js), `encodeRequest(request, target, withIds)` (returns an encoded request, whose
 * `withPath` replaces only the path; `requestTarget(path, target)` converts a path for it), `RequestTrain` (the encoded
 * requests of a target, for its connections), `RequestTemplate` (a request with placeholders for feed rows), `Memo` (what an
 * endpoint's connections remember of its last response) and `Navigation` (cookies and redirects). If `hasOnlyBodies` is true,
 * its requests are messages without a method, a path or headers; `createIds(plan, run, part)` then returns the ids that
 * identify copies of broadcast messages. `encodedBefore` names the fields that a hook cannot return, because they are encoded
 * before the run.
 *
 * @param {object} plan
 * @returns {object} the protocol
 */
function protocolOf (plan) {
  // Loaded on demand, since few runs need them.
  if (plan.websocket) return plan.websocket.socketio ? require('./socketio') : require('./websocket')
  if (plan.grpc) return require('./grpc')
  return plan.http2 ? require('./http2') : http1
}

/** The source of the sockets for all connections of one thread, whatever their protocol. */
protocolOf.Sockets = Sockets

module.exports = protocolOf
