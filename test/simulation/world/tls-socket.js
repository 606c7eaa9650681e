'use strict'

const Http2Requests = require('./http2/requests')
const Requests = require('./requests')
const Socket = require('./socket')

/** TLS over a socket that leads through a proxy's tunnel: the same connection from now on, which takes its place. */
class TlsSocket extends Socket {
  constructor (world, client, options) {
    super(world, client, options, true)
    const { socket: below } = options
    const { where, name, link, out, back, peer, behind, begunAt, lookedUpAt, openedAt, inbox, hasEnd } = below
    Object.assign(this, { below, where, name, link, out, back, peer, begunAt, lookedUpAt, openedAt, inbox, hasEnd })
    Object.assign(this, { server: behind, state: 'open', mayRead: true })
    this.requests = behind.http2 ? new Http2Requests(world) : new Requests()
    if ((behind.socketio ?? null) !== null) this.requests.arePackets = true
  }

  begin () {
    const { world, client, below, peer } = this
    client.sockets.delete(below)
    world.sockets[world.sockets.indexOf(below)] = this
    peer.socket = this
    peer.replies.socket = this
    // What is on its way to it already comes here.
    Object.assign(below, { inbox: [], hasEnd: false, fail: (error) => this.fail(error) })
    if (this.hasEnd) this.readSoon()
    this.secure()
  }

  // As Node has it: what comes through another socket is not read into a buffer of the user's.
  tell (length, buffer) {
    this.emit('data', Buffer.from(buffer.subarray(0, length)))
  }

  destroy () {
    if (!this.destroyed) this.below.destroyed = true
    return super.destroy()
  }
}

module.exports = TlsSocket
