'use strict'

const net = require('node:net')
const world = require('../world')
const { openSocket } = require('./connect')

/**
 * Provides the sockets for a thread's connections: chooses the local address and the server of each, and whether to reuse an
 * old socket.
 *
 * If each request opens a new connection, creating and discarding sockets is most of our own cost. So a socket that has ended
 * normally is connected again after 'close', which `socket.connect` supports. A connection then takes 50 us instead of 64, of
 * which 42 are the system's.
 *
 *     open ─── used ─── leave ─── 'close' ─── keep: spare ─── open again, for whichever connection is the next
 */
class Sockets {
  /**
   * @param {object} plan for socketPath, localAddress and tlsOptions
   * @param {{ share: number, of: number }} [part] which part of the run the thread has, see engine/deal/part.js: determines the first
   *   local address to use, and which numbers its connections get
   */
  constructor (plan, { share, of } = { share: 0, of: 1 }) {
    this.plan = plan
    this.ways = new Map()
    this.opened = share
    this.nextNumber = share + 1
    this.numberStep = of
    this.spare = []
    /** The owner of sockets that have been left and not been reused yet. */
    this.nobody = { socket: null, spares: this }
  }

  /**
   * @param {object} target of the plan
   * @returns {?net.Socket} a reused socket that is connecting; null if there is none, so that `create` must be called
   */
  reuse (target) {
    if (target.secure || this.spare.length === 0) return null
    return world.reconnect(this.spare.pop(), this.nextWay(target))
  }

  /**
   * @param {object} target of the plan
   * @param {string[]} protocols for ALPN
   * @param {function(number): boolean} onBytes gets the number of bytes in the shared buffer
   * @returns {net.Socket|tls.TLSSocket} a socket that is connecting to the target, or to its proxy
   */
  create (target, protocols, onBytes) {
    return openSocket(target, this.plan, this.nextWay(target), protocols, onBytes)
  }

  /**
   * Numbers a connection that has been opened. Each of n threads uses every n-th number, so no other connection of the run has it:
   * 1, 3, 5, … and 2, 4, 6, …
   */
  takeNumber () {
    const number = this.nextNumber
    this.nextNumber += this.numberStep
    return number
  }

  /** Whether a socket that was only used for complete requests to this target may be reused. */
  takesBack ({ secure }) {
    return !secure && world.reconnect !== null
  }

  /** Stores a closed socket for reuse. */
  keep (socket) {
    if (socket.writableLength === 0 && socket.writableCorked === 0) this.spare.push(socket)
  }

  // Each new connection uses the next local address.
  nextWay (target) {
    let ways = this.ways.get(target)
    if (ways === undefined) {
      ways = waysTo(target, this.plan)
      this.ways.set(target, ways)
    }
    return ways.length === 1 ? ways[0] : ways[this.opened++ % ways.length]
  }
}

/** Options for `net.connect` to reach a target, or its proxy: one for each local address. */
function waysTo (target, { socketPath, localAddress }) {
  if (socketPath) return [{ path: socketPath }]
  const { hostname: host, port } = target.proxy ?? target
  if (localAddress === null) return [{ host, port }]
  // If a name has addresses of both families, only those of the local address's family can be reached.
  return localAddress.map((address) => ({ host, port, localAddress: address, family: net.isIP(address) }))
}

module.exports = Sockets
