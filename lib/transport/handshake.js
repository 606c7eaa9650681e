'use strict'

const { closedByProxy, closedEarly, fault } = require('../base/faults')
const world = require('../world')
const { startTls, RECEIVE_BUFFER } = require('./connect')
const { adopt, connectionOf, listenTo } = require('./socket-events')

/**
 * Opens a connection, up to the point where requests can be sent: name resolution, TCP, a proxy, TLS, and the opening of its
 * protocol.
 *
 *     begin ─── dns ─── connect ─── (tunnel) ─── tls ─── reached ─── the protocol's own opening ─── connected
 *
 * Calls `reached(now)` of the connection when the server can be sent data; if it fails before that,
 * `failedToOpen(fault)` (see base/faults.js). What the protocol does between `reached` and `connected` is still part of the handshake:
 * of its deadline, which counts from `startedAt`, of its phases and of its time.
 */
class Handshake {
  /**
   * @param {Connection} connection with `target` and `socket`
   * @param {object} plan
   * @param {string[]} protocols offered by ALPN if there is TLS, most preferred first
   */
  constructor (connection, plan, protocols) {
    const { target } = connection
    this.connection = connection
    this.target = target
    this.plan = plan
    this.protocols = protocols
    this.needsLookup = !plan.socketPath && !isAddress((target.proxy ?? target).hostname)
    this.startedAt = world.now()
    this.lookedUpAt = 0
    this.connectedAt = 0
    this.tunnelledAt = 0
    this.reachedAt = 0
    /** The tunnel through a proxy, until it is open. */
    this.tunnel = isTunnelled(target) ? new (require('./tunnel'))(target) : null
  }

  /** Whether the server can be sent data; the rest is up to the protocol. */
  get hasReached () {
    return this.reachedAt > 0
  }

  /** Opens the socket. */
  begin () {
    const { sockets } = this.connection
    const again = sockets.reuse(this.target)
    if (again !== null) adopt(this.connection, again)
    else this.attempt('connect', (onBytes) => sockets.create(this.target, this.protocols, onBytes))
  }

  // Gives the connection its socket, unless creating it fails: Node throws if tlsOptions are invalid.
  attempt (phase, createSocket) {
    const { connection } = this
    let socket = null
    // A socket that its connection has left may still receive data, which is ignored. Later, another connection may use it.
    const onBytes = (length) => {
      const owner = connectionOf(socket)
      return owner === null || owner.received(length)
    }
    try {
      socket = createSocket(onBytes)
      listenTo(connection, socket)
      return true
    } catch (error) {
      connection.failedToOpen(fault(error.code ?? 'ERR_CONNECT', phase, error.message))
      return false
    }
  }

  // --- events of the socket

  /** If a name has several addresses, this is called for each; only the first call measures the lookup. */
  lookedUp () {
    if (this.lookedUpAt === 0) this.lookedUpAt = world.now()
  }

  reachedServer () {
    this.connectedAt = world.now()
    if (this.tunnel !== null) this.connection.socket.write(this.tunnel.request)
    else if (!this.target.secure) this.reach(this.connectedAt)
  }

  /**
   * Data that arrives before the server is reached comes from the proxy.
   *
   * @param {number} length number of bytes in the shared buffer
   * @returns {boolean} whether to continue reading; below TLS, TLS itself reads
   */
  received (length) {
    const { tunnel } = this
    if (tunnel === null) return false
    if (!tunnel.read(RECEIVE_BUFFER, length)) return true
    if (tunnel.fault !== null) {
      this.connection.failedToOpen(tunnel.fault)
      return false
    }
    this.tunnel = null
    this.tunnelledAt = world.now()
    if (!this.target.secure) {
      this.reach(this.tunnelledAt)
      return true
    }
    const where = { socket: this.connection.socket, host: this.target.hostname }
    return this.attempt('tls', (onBytes) => startTls(this.target, this.plan, where, this.protocols, onBytes))
  }

  // May be called again after a renegotiation of TLS 1.2.
  secured () {
    if (!this.hasReached) this.reach(world.now())
  }

  /** A FIN from the server or proxy. During a TLS handshake, the socket itself reports it as an error. */
  ended () {
    if (this.hasReached) {
      this.connection.failedToOpen(closedEarly)
    } else if (this.tunnel !== null) {
      this.connection.failedToOpen(closedByProxy)
    }
  }

  reach (now) {
    this.reachedAt = now
    this.connection.reached(now)
  }

  /** The current phase, as named in the result's errorCodes. */
  get phase () {
    if (this.connectedAt > 0) return this.tunnel === null && !this.hasReached ? 'tls' : 'connect'
    return this.needsLookup && this.lookedUpAt === 0 ? 'dns' : 'connect'
  }

  /**
   * The durations of all parts, when the handshake has just been completed.
   *
   * @param {number} now ms
   * @returns {{ total: number, dns: ?number, tcp: number, tls: ?number }} ms; null for a part that didn't occur
   */
  times (now) {
    const beforeTcp = this.lookedUpAt || this.startedAt
    return {
      total: now - this.startedAt,
      dns: this.lookedUpAt ? this.lookedUpAt - this.startedAt : null,
      tcp: this.connectedAt - beforeTcp,
      tls: this.target.secure ? this.reachedAt - (this.tunnelledAt || this.connectedAt) : null
    }
  }

  /**
   * How long each incomplete part has taken so far; 0 for a part that hasn't begun.
   *
   * @param {number} now ms
   * @returns {{ total: number, dns: ?number, tcp: ?number, tls: ?number }} ms; null for a part that is complete or doesn't occur
   */
  waits (now) {
    const { startedAt, lookedUpAt, connectedAt, tunnel } = this
    const isLookingUp = this.needsLookup && lookedUpAt === 0
    const securedSince = connectedAt === 0 || tunnel !== null ? now : this.tunnelledAt || connectedAt
    return {
      total: now - startedAt,
      dns: isLookingUp ? now - startedAt : null,
      tcp: connectedAt > 0 ? null : isLookingUp ? 0 : now - (lookedUpAt || startedAt),
      tls: this.target.secure && !this.hasReached ? now - securedSince : null
    }
  }
}

// A proxy forwards plain HTTP requests; everything else uses a tunnel (RFC 6455, section 4.1).
function isTunnelled ({ secure, proxy, isWebSocket }) {
  return Boolean(proxy) && (secure || isWebSocket === true)
}

function isAddress (hostname) {
  return hostname.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

module.exports = Handshake
