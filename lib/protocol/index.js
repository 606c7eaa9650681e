'use strict'

const Sockets = require('../transport/sockets')
const http1 = require('./http1')

/**
 * Which protocol a plan speaks. This is the one place where that is decided.
 *
 * A protocol has `Connection` (see connection.js), `encodeRequest(request, target, withIds)` (a request as bytes, with
 * `withPath` where only the path changes; `requestTarget(path, target)` is what stands for a path), `RequestTrain` (the
 * encoded requests of a target, for its connections), `RequestTemplate` (a request with gaps for the rows of a feed), `Memo`
 * (what an endpoint's connections remember of its last response) and `Navigation` (cookies and redirects). Where
 * `hasOnlyBodies` is true its requests are messages, without a method, a path or headers; `createIds(plan, run, part)`
 * gives those by which copies of what goes out to all are recognised. `encodedBefore` names what a hook cannot return, since it
 * is encoded before the run.
 *
 * @param {object} plan
 * @returns {object} the protocol
 */
function protocolOf (plan) {
  // Few runs need these.
  if (plan.websocket) return plan.websocket.socketio ? require('./socketio') : require('./websocket')
  if (plan.grpc) return require('./grpc')
  return plan.http2 ? require('./http2') : http1
}

/** What the connections of one thread have their sockets from, whatever they speak. */
protocolOf.Sockets = Sockets

module.exports = protocolOf
