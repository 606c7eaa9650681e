'use strict'

const net = require('node:net')
const world = require('../world')
const { openSocket } = require('./connect')

/**
 * Where the sockets of a thread's connections come from: from which local address each goes to which server, and whether it
 * is a new one.
 *
 * Where each request has a connection of its own, to make and to throw away the socket is most of what our side of it costs.
 * So one that has ended in good order is connected again, as `socket.connect` is made for once 'close' has come: a
 * connection then takes 50 us and not 64, of which 42 are the system's.
 *
 *     open ─── used ─── leave ─── 'close' ─── keep: spare ─── open again, for whichever connection is the next
 */
class Sockets {
  /**
   * @param {object} plan for socketPath, localAddress, tlsOptions and servername
   * @param {number} [first=0] with which of the local addresses to begin
   */
  constructor (plan, first = 0) {
    this.plan = plan
    this.ways = new Map()
    this.opened = first
    this.spare = []
    /** Whose those sockets are that have been left and not taken again. */
    this.nobody = { socket: null, spares: this }
  }

  /**
   * @param {object} target of the plan
   * @returns {?net.Socket} on its way, one that has served before; null: there is none, and `create` makes one
   */
  reuse (target) {
    if (target.secure || this.spare.length === 0) return null
    return world.reconnect(this.spare.pop(), this.nextWay(target))
  }

  /**
   * @param {object} target of the plan
   * @param {string[]} protocols for ALPN
   * @param {function(number): boolean} onBytes gets how many bytes stand in the shared buffer
   * @returns {net.Socket|tls.TLSSocket} on its way to the target, or to the proxy before it
   */
  create (target, protocols, onBytes) {
    return openSocket(target, this.plan, this.nextWay(target), protocols, onBytes)
  }

  /** Whether a socket that was used for whole requests to this target may serve again. */
  takesBack ({ secure }) {
    return !secure && world.reconnect !== null
  }

  /** Such a socket has closed. */
  keep (socket) {
    if (socket.writableLength === 0 && socket.writableCorked === 0) this.spare.push(socket)
  }

  // Each time a connection is opened it has the next of the local addresses.
  nextWay (target) {
    let ways = this.ways.get(target)
    if (ways === undefined) {
      ways = waysTo(target, this.plan)
      this.ways.set(target, ways)
    }
    return ways.length === 1 ? ways[0] : ways[this.opened++ % ways.length]
  }
}

/** How to reach a target, or the proxy before it: once for each local address, as `net.connect` takes it. */
function waysTo (target, { socketPath, localAddress }) {
  if (socketPath) return [{ path: socketPath }]
  const { hostname: host, port } = target.proxy ?? target
  if (localAddress === null) return [{ host, port }]
  // Of a name with addresses of both families only one can be reached from here.
  return localAddress.map((address) => ({ host, port, localAddress: address, family: net.isIP(address) }))
}

module.exports = Sockets
