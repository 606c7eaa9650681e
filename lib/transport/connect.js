'use strict'

const world = require('../world')

/*
 * One receive buffer for all sockets: a chunk is consumed before its callback returns, so nobody needs one of his own,
 * and no memory is allocated for what arrives.
 */
const RECEIVE_BUFFER = Buffer.allocUnsafeSlow(65536)

/**
 * Opens a socket to a target, or to the proxy on the way to it; TLS through a proxy begins with `startTls`, in its tunnel.
 *
 * @param {object} target of the plan
 * @param {object} plan for tlsOptions and servername
 * @param {object} way to where, and from where, see sockets.js
 * @param {string[]} protocols for ALPN
 * @param {function(number, Buffer): boolean} onBytes gets how many bytes stand in the shared buffer
 * @returns {net.Socket|tls.TLSSocket}
 */
function openSocket (target, plan, way, protocols, onBytes) {
  if (target.secure && !target.proxy) return startTls(target, plan, way, protocols, onBytes)
  return world.connect({ ...way, noDelay: true, onread: { buffer: RECEIVE_BUFFER, callback: onBytes } })
}

/**
 * @param {object} target of the plan
 * @param {object} plan
 * @param {object} where to connect to, or `{ socket }`, which is open
 * @param {string[]} protocols for ALPN
 * @param {function(number, Buffer): boolean} onBytes
 * @returns {tls.TLSSocket}
 */
function startTls (target, plan, where, protocols, onBytes) {
  const socket = world.connectTls({
    ALPNProtocols: protocols,
    // A load test aims at servers that its owner runs, often with a certificate of their own making.
    rejectUnauthorized: false,
    servername: plan.servername ?? target.servername,
    ...plan.tlsOptions,
    ...where,
    onread: { buffer: RECEIVE_BUFFER, callback: onBytes }
  })
  socket.setNoDelay(true)
  // Node reads into a buffer of ours only where it opens the socket itself.
  if (where.socket) socket.on('data', (chunk) => deliver(chunk, onBytes))
  return socket
}

function deliver (chunk, onBytes) {
  for (let start = 0; start < chunk.length; start += RECEIVE_BUFFER.length) {
    if (!onBytes(chunk.copy(RECEIVE_BUFFER, 0, start))) return
  }
}

module.exports = { openSocket, startTls, RECEIVE_BUFFER }
