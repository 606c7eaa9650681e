'use strict'

const { CODES } = require('../base/errors')
const world = require('../world')
const { startTls, RECEIVE_BUFFER } = require('./connect')
const { adopt, connectionOf, listenTo } = require('./socket-events')
const Tunnel = require('./tunnel')

/**
 * The way of a connection from its first step until requests can go out: the lookup of the name, TCP, a proxy, TLS, and
 * what its protocol has to say before it can be used.
 *
 *     begin ─── dns ─── connect ─── (tunnel) ─── tls ─── reached ─── the protocol's own opening ─── connected
 *
 * The connection hears `reached(now)` when the server can be spoken to; before that, `failedToOpen(code, phase, message)`
 * ends the way. What its protocol does between `reached` and `connected` belongs to it still: to its deadline, which
 * counts from `startedAt`, to its phases and to its time.
 */
class Handshake {
  /**
   * @param {Connection} connection with `target` and `socket`
   * @param {object} plan
   * @param {string[]} protocols what is offered by ALPN where there is TLS, the best first
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
    /** The way through a proxy, until it is open. */
    this.tunnel = isTunnelled(target) ? new Tunnel(target) : null
  }

  /** Whether the server can be spoken to; what follows is the protocol's own. */
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

  // Gives the connection its socket, if there is one: Node throws, of bad tlsOptions, where it creates it.
  attempt (phase, createSocket) {
    const { connection } = this
    let socket = null
    // One that a connection has let go of may live on for a moment; what comes on it is nobody's. Later it may be another's.
    const onBytes = (length) => {
      const owner = connectionOf(socket)
      return owner === null || owner.received(length)
    }
    try {
      socket = createSocket(onBytes)
      listenTo(connection, socket)
      return true
    } catch (error) {
      connection.failedToOpen(error.code ?? 'ERR_CONNECT', phase, error.message)
      return false
    }
  }

  // --- what the socket tells

  /** Of a name with several addresses each is told; the first of them took the time. */
  lookedUp () {
    if (this.lookedUpAt === 0) this.lookedUpAt = world.now()
  }

  reachedServer () {
    this.connectedAt = world.now()
    if (this.tunnel !== null) this.connection.socket.write(this.tunnel.request)
    else if (!this.target.secure) this.reach(this.connectedAt)
  }

  /**
   * What arrives before the server is reached is the proxy's.
   *
   * @param {number} length how many bytes stand in the shared buffer
   * @returns {boolean} whether to go on reading; the socket under TLS does it for TLS
   */
  received (length) {
    const { tunnel } = this
    if (tunnel === null) return false
    if (!tunnel.read(RECEIVE_BUFFER, length)) return true
    if (tunnel.problem !== null) {
      this.connection.failedToOpen(tunnel.problem.code, 'connect', tunnel.problem.message)
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

  // A renegotiation of TLS 1.2 makes it known again.
  secured () {
    if (!this.hasReached) this.reach(world.now())
  }

  /** The FIN of whom we have reached. In a TLS handshake the socket itself makes an error of it. */
  ended () {
    if (this.hasReached) {
      this.connection.failedToOpen(CODES.CLOSED_BY_SERVER, 'connect', 'the server closed the connection before it could be used')
    } else if (this.tunnel !== null) {
      this.connection.failedToOpen(CODES.CLOSED_BY_SERVER, 'connect', 'the proxy closed the connection before it answered CONNECT')
    }
  }

  reach (now) {
    this.reachedAt = now
    this.connection.reached(now)
  }

  /** Where it is now, in the words of the result's errorCodes. */
  get phase () {
    if (this.connectedAt > 0) return this.tunnel === null && !this.hasReached ? 'tls' : 'connect'
    return this.needsLookup && this.lookedUpAt === 0 ? 'dns' : 'connect'
  }

  /**
   * What each part took, where all is done now.
   *
   * @param {number} now ms
   * @returns {{ total: number, dns: ?number, tcp: number, tls: ?number }} ms; null for a part that there was not
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
   * How long it waits by now for each part that is not done; a part that has not begun has taken no time yet.
   *
   * @param {number} now ms
   * @returns {{ total: number, dns: ?number, tcp: ?number, tls: ?number }} ms; null for a part that is done, or that there is none of
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

// A proxy only forwards requests: all else goes through it as through a wire (RFC 6455, section 4.1).
function isTunnelled ({ secure, proxy, isWebSocket }) {
  return Boolean(proxy) && (secure || isWebSocket === true)
}

function isAddress (hostname) {
  return hostname.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

module.exports = Handshake
