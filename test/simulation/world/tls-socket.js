'use strict'

const Http2Requests = require('./http2/requests')
const Requests = require('./requests')
const Socket = require('./socket')

/**
 * TLS over a socket through a proxy's tunnel; it replaces that socket as the client's end of the connection. If the tunnel leads to no
 * server, the handshake fails at the first bytes that arrive, which aren't TLS.
 */
class TlsSocket extends Socket {
  constructor (world, client, options) {
    super(world, client, options, true)
    const { socket: below } = options
    const { where, name, link, out, back, peer, behind, begunAt, lookedUpAt, openedAt, inbox, hasEnd } = below
    // As in Node, it has the addresses of the socket below.
    this.localAddress = below.localAddress
    Object.assign(this, { below, where, name, link, out, back, peer, begunAt, lookedUpAt, openedAt, inbox, hasEnd })
    Object.assign(this, { server: behind ?? below.server, isLed: behind !== undefined, state: 'open', mayRead: true })
    this.requests = behind?.http2 ? new Http2Requests(world) : new Requests()
    if ((behind?.socketio ?? null) !== null) this.requests.arePackets = true
  }

  begin () {
    const { world, client, below, peer } = this
    client.sockets.delete(below)
    world.sockets[world.sockets.indexOf(below)] = this
    peer.socket = this
    peer.replies.socket = this
    // Data that is on its way to the other socket arrives here.
    Object.assign(below, { inbox: [], hasEnd: false, fail: (error) => this.fail(error) })
    if (this.inbox.length > 0 || this.hasEnd) this.readSoon()
    if (this.isLed) this.secure()
  }

  read () {
    if (this.isLed || this.inbox.length === 0) {
      super.read()
      return
    }
    this.isReading = false
    if (!this.destroyed) this.fail(Object.assign(new Error('SSL routines:ssl3_get_record:wrong version number'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }))
  }

  // As in Node: data that arrives through another socket isn't read into the user's buffer.
  tell (length, buffer) {
    this.emit('data', Buffer.from(buffer.subarray(0, length)))
  }

  destroy () {
    if (!this.destroyed) this.below.destroyed = true
    return super.destroy()
  }
}

module.exports = TlsSocket
