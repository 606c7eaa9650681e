'use strict'

const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const http2 = require('node:http2')
const os = require('node:os')
const path = require('node:path')
const { certificates } = require('../../support/http-server')
const { track } = require('../../support/tracked')

const { serverKey: key, serverCert: cert } = certificates

/** The two protocols, each with a server that uses the same handler. */
const COLUMNS = [
  { name: 'HTTP/1.1', opts: {}, create: () => http.createServer({ keepAliveTimeout: 0 }), createSecure: () => https.createServer({ key, cert, keepAliveTimeout: 0 }) },
  { name: 'HTTP/2', opts: { http2: true }, create: () => http2.createServer(), createSecure: () => http2.createSecureServer({ key, cert }) }
]

/**
 * A server for a column, with live counts: `requests`, `got` (what was received: `{ method, url, headers, body }`).
 *
 * @param {object} t
 * @param {object} column
 * @param {function(object, object, object)} [handler] of request (with its complete `body`), response and number; default 'ok'
 * @param {object} [opts]
 * @param {boolean} [opts.secure]
 * @param {boolean} [opts.unix] on a socket: `socketPath`
 */
async function columnServer (t, column, handler = (request, response) => response.end('ok'), { secure = false, unix = false } = {}) {
  const server = secure ? column.createSecure() : column.create()
  const folder = unix ? fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-')) : null
  const socketPath = unix ? path.join(folder, 'server.sock') : undefined
  const where = unix ? { where: { path: socketPath } } : {}
  const tracked = Object.assign(await track(t, server, { scheme: secure ? 'https' : 'http', ...where }), { got: [] })
  if (unix) Object.assign(tracked, { socketPath, url: 'http://localhost' }).atClose(() => fs.rmSync(folder, { recursive: true }))
  server.on('sessionError', () => {})
  server.on('request', async (request, response) => {
    const number = tracked.requests++
    const pieces = []
    request.on('error', () => {})
    try {
      for await (const piece of request) pieces.push(piece)
    } catch {
      return
    }
    request.body = Buffer.concat(pieces)
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !name.startsWith(':')))
    // In HTTP/2 this is :authority.
    headers.host ??= request.headers[':authority']
    delete headers.connection
    tracked.got.push({ method: request.method, url: request.url, headers, body: String(request.body) })
    handler(request, response, number)
  })
  return tracked
}

module.exports = { COLUMNS, columnServer }
