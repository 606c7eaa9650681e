'use strict'

const http = require('node:http')
const https = require('node:https')
const net = require('node:net')
const { WebSocketServer } = require('ws')
const { certificates } = require('../../support/http-server')
const { track } = require('../../support/tracked')
const { acceptance, clientFrame } = require('../../simulation/world/websocket')
const { frame } = require('./frames')

/**
 * A server using the ws package, with live counts: `messages` (received), `handshakes` (requests), `closed` (codes with which clients
 * closed).
 *
 * @param {object} t
 * @param {object} [opts]
 * @param {function(object, Buffer, boolean, object[])} [opts.answer] `(socket, data, isBinary, clients)`, default an echo
 * @param {boolean} [opts.secure]
 * @param {object} [opts.where] for `listen`
 * @param {object} [opts.ws] for WebSocketServer
 */
async function wsServer (t, { answer = (socket, data, isBinary) => socket.send(data, { binary: isBinary }), secure = false, where, ws = {} } = {}) {
  const server = secure ? https.createServer({ key: certificates.serverKey, cert: certificates.serverCert }) : http.createServer()
  const sockets = new WebSocketServer({ server, ...ws })
  const tracked = Object.assign(await track(t, server, { scheme: secure ? 'wss' : 'ws', ...(where && { where }) }), { messages: [], handshakes: [], closed: [], sockets })
  tracked.whenClosed = (count) => new Promise((resolve) => { tracked.onClosed = () => tracked.closed.length >= count && resolve(tracked.closed); tracked.onClosed() })
  sockets.on('connection', (socket, request) => {
    tracked.handshakes.push(request)
    socket.on('message', (data, isBinary) => {
      tracked.messages.push(isBinary ? data : String(data))
      answer(socket, data, isBinary, sockets.clients)
    })
    socket.on('close', (code) => {
      tracked.closed.push(code)
      tracked.onClosed?.()
    })
    socket.on('error', () => {})
  })
  return tracked
}

/**
 * A server that sends frames and enforces no rules: a script determines what it sends.
 *
 * @param {object} t
 * @param {function(object, { method: string, path: string })} onFrame `(peer, frame)` for each frame of the client: a peer has
 *   `send(type, payload, opts)`, `raw(bytes)`, `socket`, `index` (of the connection)
 * @param {function(object, string)} [onHandshake] `(peer, head)`; default: it is accepted
 */
async function frameServer (t, onFrame, onHandshake = (peer, head) => peer.accept(head)) {
  const server = net.createServer({ noDelay: true })
  const tracked = Object.assign(await track(t, server, { scheme: 'ws' }), { frames: [], heads: [] })
  let count = 0
  server.on('connection', (socket) => {
    const peer = {
      socket,
      index: count++,
      raw: (bytes) => socket.write(bytes),
      send: (type, payload, opts) => socket.write(frame(type, payload, opts)),
      accept: (head, more = '') => socket.write(Buffer.from(acceptance(head).replace('\r\n\r\n', `\r\n${more}\r\n`), 'latin1'))
    }
    let rest = Buffer.alloc(0)
    let isOpen = false
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      if (!isOpen) {
        const end = rest.indexOf('\r\n\r\n')
        if (end === -1) return
        isOpen = true
        const head = rest.latin1Slice(0, end)
        rest = rest.subarray(end + 4)
        tracked.heads.push(head)
        onHandshake(peer, `${head}\r\n`)
      }
      for (let next = clientFrame(rest); next !== null; next = clientFrame(rest)) {
        rest = rest.subarray(next.length)
        tracked.frames.push({ ...next, index: peer.index })
        onFrame(peer, next)
      }
    })
  })
  return tracked
}

module.exports = { frameServer, wsServer }
