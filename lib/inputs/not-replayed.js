'use strict'

/** Headers that belong to the recorded connection (RFC 9110, section 7.6.1), or that are generated for each request, in lower case. */
const NOT_REPLAYED = new Set([
  'host', 'content-length', 'connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'
])

module.exports = { NOT_REPLAYED }
