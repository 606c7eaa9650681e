'use strict'

const { loadPackage } = require('../base/packages')

// RFC 6455, section 7.4.1: the server encountered an unexpected condition.
const INTERNAL_ERROR = 1011
const OPEN = 1
const FILLER = 'x'

/** Loads the WebSocket package. @throws {CannonadeError} CANNONADE_MISSING_PACKAGE */
const loadWebSocket = () => loadPackage('ws', { user: 'a WebSocket server', option: 'websocket' })

/**
 * The WebSocket part of the test server: returns each message to its sender, or sends it to all clients, or to all clients that are
 * connected to the same path. The target counts and delays messages.
 */
class Messages {
  /**
   * @param {object} options from parseServerOptions
   * @param {object} target `message(answer)` for each received message: counts it and calls `answer(isFailure)` after the delay;
   *   `countHandshake(status)`, `sent(count)`
   */
  constructor (options, target) {
    this.options = options
    this.target = target
    const { WebSocketServer } = loadWebSocket()
    this.server = new WebSocketServer({ noServer: true, perMessageDeflate: true, clientTracking: false })
    this.clients = new Set()
    this.rooms = new Map()
  }

  /** Handles the handshakes of a node:http server. */
  attach (server) {
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head))
  }

  upgrade (request, socket, head) {
    const { status } = this.options
    socket.on('error', () => {}) // a connection that breaks here needs no handling
    if (status >= 300) {
      this.target.countHandshake(status)
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    this.server.handleUpgrade(request, socket, head, (client) => {
      this.target.countHandshake(101)
      this.join(client, request.url)
    })
  }

  join (client, path) {
    const { options } = this
    const all = options.websocket === 'chat' ? this.room(path) : this.clients
    all.add(client)
    client.on('message', (data, isBinary) => this.target.message(path, data.length, (isFailure) => {
      if (isFailure) client.close(INTERNAL_ERROR)
      else this.answer(client, all, this.sized(data), isBinary)
    }))
    client.on('error', () => {}) // ws closes connections that violate the protocol, with the right code
    client.on('close', () => this.leave(client, all, path))
  }

  room (path) {
    if (!this.rooms.has(path)) this.rooms.set(path, new Set())
    return this.rooms.get(path)
  }

  leave (client, all, path) {
    all.delete(client)
    if (all !== this.clients && all.size === 0) this.rooms.delete(path)
  }

  answer (client, all, data, isBinary) {
    const receivers = this.options.websocket === 'echo' ? [client] : all
    let count = 0
    for (const receiver of receivers) {
      if (receiver.readyState !== OPEN) continue
      receiver.send(data, { binary: isBinary })
      count++
    }
    this.target.sent(count)
  }

  // Truncates or pads the message if a size was set.
  sized (data) {
    const { bodySize } = this.options
    if (bodySize === null || bodySize === data.length) return data
    return data.length > bodySize ? data.subarray(0, bodySize) : Buffer.concat([data, Buffer.alloc(bodySize - data.length, FILLER)])
  }
}

module.exports = { Messages }
