'use strict'

const world = require('../world')

/*
 * One receive buffer for all sockets: a chunk is consumed before its callback returns, so sockets don't need separate buffers,
 * and no memory is allocated for received data. Systems hold more than 64 KiB for a reader; a response of that size costs 4 to 7%
 * more if it takes two reads (bench/notes.md).
 */
const RECEIVE_BUFFER = Buffer.allocUnsafeSlow(131072)

/**
 * Opens a socket to a target, or to the proxy on the way to it; TLS through a proxy begins with `startTls`, in its tunnel.
 *
 * @param {object} target of the plan
 * @param {object} plan for tlsOptions
 * @param {object} way the addresses to connect to and from, see sockets.js
 * @param {string[]} protocols for ALPN
 * @param {function(number, Buffer): boolean} onBytes gets the number of bytes in the shared buffer
 * @returns {net.Socket|tls.TLSSocket}
 */
function openSocket (target, plan, way, protocols, onBytes) {
  if (target.secure && !target.proxy) return startTls(target, plan, way, protocols, onBytes)
  return world.connect({ ...way, noDelay: true, onread: { buffer: RECEIVE_BUFFER, callback: onBytes } })
}

/**
 * @param {object} target of the plan
 * @param {object} plan
 * @param {object} where the address to connect to, or `{ socket }`, an open socket
 * @param {string[]} protocols for ALPN
 * @param {function(number, Buffer): boolean} onBytes
 * @returns {tls.TLSSocket}
 */
function startTls (target, plan, where, protocols, onBytes) {
  const socket = world.connectTls({
    ALPNProtocols: protocols,
    // Load tests usually test one's own servers, often with self-signed certificates.
    rejectUnauthorized: false,
    servername: target.servername,
    ...plan.tlsOptions,
    ...where,
    onread: { buffer: RECEIVE_BUFFER, callback: onBytes }
  })
  socket.setNoDelay(true)
  // Node reads into our buffer only if it opens the socket itself.
  if (where.socket) socket.on('data', (chunk) => deliver(chunk, onBytes))
  return socket
}

function deliver (chunk, onBytes) {
  for (let start = 0; start < chunk.length; start += RECEIVE_BUFFER.length) {
    if (!onBytes(chunk.copy(RECEIVE_BUFFER, 0, start))) return
  }
}

module.exports = { openSocket, startTls, RECEIVE_BUFFER }
