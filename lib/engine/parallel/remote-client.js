'use strict'

const { EventEmitter } = require('node:events')
const { CannonadeError, CODES } = require('../../base/errors')

/**
 * With workers, listeners of `response` get this in place of the client: the connection lives in another thread, so it
 * cannot be changed or listened to from here.
 */
class RemoteClient extends EventEmitter {}

function refusal (sentence) {
  return () => {
    throw new CannonadeError(CODES.CLIENT_MISUSE, `${sentence} of a connection in another thread: with workers, give setupClient as the path of a module`)
  }
}

for (const method of ['setHeaders', 'setBody', 'setHeadersAndBody', 'setRequest', 'setRequests']) {
  RemoteClient.prototype[method] = refusal('cannot update requests')
}
for (const method of ['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']) {
  RemoteClient.prototype[method] = refusal('cannot listen to the events')
}

module.exports = RemoteClient
