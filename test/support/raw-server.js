'use strict'

const net = require('node:net')
const tls = require('node:tls')
const { RequestSplitter } = require('./request-splitter')
const { certificates } = require('./http-server')
const { track } = require('./tracked')

/**
 * Starts a server that leaves every byte of its responses, and the end of its connections, to a script:
 * `socket.write(bytes)`, `socket.end()` (FIN), `socket.resetAndDestroy()` (RST), or nothing at all.
 *
 * Further live counts: `requests` (complete ones received), `kept` (those requests, with `keep`), `malformed` (errors of
 * what was not a request; such a connection is closed).
 *
 * @param {?object} t
 * @param {function(import('node:net').Socket, SplitRequest, number)} onRequest called for each complete request with its
 *   number, from 0. The request also has `connection` (number of its connection, from 0), `indexOnConnection` and `at`
 *   (by performance.now()). Not called when the script has destroyed the socket already
 * @param {object} [opts]
 * @param {boolean} [opts.keep] default false
 * @param {function(import('node:net').Socket, number)} [opts.onConnection] called before anything is read
 * @param {boolean} [opts.allowHalfOpen] default false: the client's FIN is answered with one
 * @param {boolean} [opts.tls] with the certificate of tlsServer; there is no RST then
 */
async function rawServer (t, onRequest, { keep = false, onConnection, allowHalfOpen = false, tls: secure = false } = {}) {
  const server = secure
    ? tls.createServer({ allowHalfOpen, key: certificates.serverKey, cert: certificates.serverCert })
    : net.createServer({ allowHalfOpen, noDelay: true })
  const tracked = Object.assign(await track(t, server, { scheme: secure ? 'https' : 'http' }), { kept: [], malformed: [] })
  let connections = 0

  server.on(secure ? 'secureConnection' : 'connection', (socket) => {
    const connection = connections++
    resetSafely(socket)
    let indexOnConnection = 0
    const splitter = new RequestSplitter((request) => {
      const at = performance.now()
      Object.assign(request, { connection, indexOnConnection: indexOnConnection++, at })
      tracked.arrivals.push(at)
      if (keep) tracked.kept.push(request)
      const index = tracked.requests++
      if (!socket.destroyed) onRequest(socket, request, index)
    })

    socket.on('error', () => {})
    onConnection?.(socket, connection)
    socket.on('data', (chunk) => {
      try {
        splitter.push(chunk)
      } catch (error) {
        tracked.malformed.push(error)
        socket.destroy()
      }
    })
  })
  return tracked
}

/** Accepts connections and reads data, but never sends anything: no response, no TLS handshake. */
function silentServer (t) {
  const server = net.createServer((socket) => socket.resume())
  return track(t, server)
}

// Node.js can't reset a socket that it is already ending (EINVAL): such a socket would stay open forever, so that its server never closes
// and the process never ends.
function resetSafely (socket) {
  const { resetAndDestroy } = socket
  socket.resetAndDestroy = () => socket.writableEnded ? socket.destroy() : resetAndDestroy.call(socket)
}

module.exports = { rawServer, silentServer }
