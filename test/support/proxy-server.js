'use strict'

const http = require('node:http')
const net = require('node:net')
const { track } = require('./tracked')

/**
 * A forwarding proxy: absolute URLs, and tunnels with CONNECT. Live counts besides those of `track`: `forwarded` and `tunnelled` are `{
 * url, authorization }` of each, in order.
 *
 * @param {object} t
 * @param {object} [opts]
 * @param {string} [opts.credentials] required 'user:password'; other clients get a 407
 * @param {function(net.Socket)} [opts.answerConnect] instead of a tunnel
 */
async function proxyServer (t, { credentials, answerConnect } = {}) {
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
  const server = http.createServer({ keepAliveTimeout: 0 })
  const proxy = Object.assign(await track(t, server), { forwarded: [], tunnelled: [] })
  const agent = new http.Agent({ keepAlive: true })
  proxy.atClose(() => agent.destroy())

  const authorized = (request, seen) => {
    const authorization = request.headers['proxy-authorization']
    seen.push({ url: request.url, authorization })
    return expected === undefined || authorization === expected
  }
  server.on('request', (request, response) => {
    proxy.requests++
    if (!authorized(request, proxy.forwarded)) {
      response.writeHead(407).end('who are you?')
      return
    }
    const { 'proxy-authorization': _, ...headers } = request.headers
    const onward = http.request(request.url, { method: request.method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.writeHead(502).end())
    request.pipe(onward)
  })
  server.on('connect', (request, socket) => {
    if (!authorized(request, proxy.tunnelled)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 12\r\n\r\nwho are you?')
    } else if (answerConnect !== undefined) {
      answerConnect(socket)
    } else {
      tunnel(request.url, socket)
    }
  })
  return proxy
}

function tunnel (authority, socket) {
  const { hostname, port } = new URL(`http://${authority}`)
  const onward = net.connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
    socket.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n')
    socket.pipe(onward)
    onward.pipe(socket)
  })
  onward.on('error', () => socket.destroy())
  socket.on('error', () => onward.destroy())
  socket.on('close', () => onward.destroy())
}

module.exports = { proxyServer }
