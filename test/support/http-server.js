'use strict'

const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const os = require('node:os')
const path = require('node:path')
const { track } = require('./tracked')

const read = (name) => fs.readFileSync(path.join(__dirname, 'certs', name), 'utf8')

/** PEM texts: what a client needs to trust `tlsServer`, and to be trusted by one with `requestCert`. */
const certificates = Object.freeze({
  ca: read('ca-cert.pem'),
  serverKey: read('server-key.pem'),
  serverCert: read('server-cert.pem'),
  clientKey: read('client-key.pem'),
  clientCert: read('client-cert.pem')
})

/**
 * Starts a node:http server with live counts: those of `track`, and `requests` (heads received), `answered` (responses
 * handed to the system completely), `requestsPerConnection` (ordered by the first request of each connection).
 *
 * @param {?object} t
 * @param {function(http.IncomingMessage, http.ServerResponse, number)} [handler] the number counts from 0; default
 *   answers 'ok'
 * @param {object} [opts] for http.createServer, and `maxRequestsPerSocket`; keepAliveTimeout defaults to 0 (none)
 */
function httpServer (t, handler, opts) {
  return serve(t, http.createServer(settings(opts)), handler, opts)
}

/**
 * The same with TLS: a certificate for localhost, 127.0.0.1, ::1, cannonade.test and other.test. Further counts:
 * `handshakes`, `failedHandshakes`, `resumedSessions`, `servernames` and `clientNames` (one entry per handshake).
 *
 * @param {?object} t
 * @param {function} [handler]
 * @param {object} [opts] for https.createServer; with `requestCert`, clients without a valid certificate are rejected
 */
async function tlsServer (t, handler, opts = {}) {
  const { serverKey: key, serverCert: cert, ca } = certificates
  const server = https.createServer({ key, cert, ca, rejectUnauthorized: opts.requestCert === true, ...settings(opts) })
  const counts = { handshakes: 0, failedHandshakes: 0, resumedSessions: 0, servernames: [], clientNames: [] }
  const tracked = Object.assign(await serve(t, server, handler, opts, { scheme: 'https' }), counts)

  server.on('secureConnection', (socket) => {
    tracked.handshakes++
    if (socket.isSessionReused()) tracked.resumedSessions++
    tracked.servernames.push(socket.servername || null)
    tracked.clientNames.push(socket.getPeerCertificate()?.subject?.CN ?? null)
  })
  server.on('tlsClientError', () => tracked.failedHandshakes++)
  return tracked
}

/** The same on a Unix socket: `socketPath` instead of `port`. */
async function unixServer (t, handler, opts) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  const socketPath = path.join(folder, 'server.sock')
  const tracked = await serve(t, http.createServer(settings(opts)), handler, opts, { where: { path: socketPath } })
  tracked.atClose(() => fs.rmSync(folder, { recursive: true }))
  return Object.assign(tracked, { socketPath, url: 'http://localhost' })
}

/** The whole body of a request, as a Buffer. */
async function readBody (request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

function settings (opts) {
  return { keepAliveTimeout: 0, ...opts }
}

async function serve (t, server, handler = answerOk, { maxRequestsPerSocket } = {}, place) {
  if (maxRequestsPerSocket !== undefined) server.maxRequestsPerSocket = maxRequestsPerSocket
  const places = new WeakMap()
  const tracked = Object.assign(await track(t, server, place), { answered: 0, requestsPerConnection: [] })

  server.on('request', (request, response) => {
    tracked.arrivals.push(performance.now())
    if (!places.has(request.socket)) places.set(request.socket, tracked.requestsPerConnection.push(0) - 1)
    tracked.requestsPerConnection[places.get(request.socket)]++
    response.on('finish', () => tracked.answered++)
    handler(request, response, tracked.requests++)
  })
  return tracked
}

function answerOk (request, response) {
  response.end('ok')
}

module.exports = { httpServer, tlsServer, unixServer, readBody, certificates }
