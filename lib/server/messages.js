'use strict'

const { loadPackage } = require('../base/packages')

// RFC 6455, section 7.4.1: the server has met something that keeps it from doing what was asked.
const INTERNAL_ERROR = 1011
const OPEN = 1
const FILLER = 'x'

/** The package that speaks WebSocket. @throws {CannonadeError} CANNONADE_MISSING_PACKAGE */
const loadWebSocket = () => loadPackage('ws', { user: 'a server of WebSocket', option: 'websocket' })

/**
 * The WebSocket side of a target: what comes is answered with itself, or goes to all, or to all in the same room, which is the path
 * that they have connected to. The target counts and delays.
 */
class Messages {
  /**
   * @param {object} options of parseServerOptions
   * @param {object} target `message(answer)` for each message that comes: counts it and calls `answer(isFailure)` in its time;
   *   `shookHands(status)`, `sent(count)`
   */
  constructor (options, target) {
    this.options = options
    this.target = target
    const { WebSocketServer } = loadWebSocket()
    this.server = new WebSocketServer({ noServer: true, perMessageDeflate: true, clientTracking: false })
    this.clients = new Set()
    this.rooms = new Map()
  }

  /** Takes the handshakes of a server on node:http. */
  attach (server) {
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head))
  }

  upgrade (request, socket, head) {
    const { status } = this.options
    socket.on('error', () => {}) // whoever breaks off here is nothing special
    if (status >= 300) {
      this.target.shookHands(status)
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    this.server.handleUpgrade(request, socket, head, (client) => {
      this.target.shookHands(101)
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
    client.on('error', () => {}) // a client that breaks the rules is closed with the right code
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

  // Cut or filled up, where a size was asked for.
  sized (data) {
    const { bodySize } = this.options
    if (bodySize === null || bodySize === data.length) return data
    return data.length > bodySize ? data.subarray(0, bodySize) : Buffer.concat([data, Buffer.alloc(bodySize - data.length, FILLER)])
  }
}

module.exports = { Messages, loadWebSocket }
