'use strict'

const { performance } = require('node:perf_hooks')
const { CODES } = require('../../errors')
const { openSocket, startTls, RECEIVE_BUFFER } = require('./connect')
const listenTo = require('./socket-events')
const Tunnel = require('./tunnel')

/**
 * The way of a connection from its first step until requests can go out: the lookup of the name, TCP, a proxy, TLS.
 * At its end it calls `connection.connected(now, times)` or `connection.failedToOpen(code, phase, message)`.
 */
class Handshake {
  /**
   * @param {Connection} connection
   * @param {object} plan
   */
  constructor (connection, plan) {
    const { target } = connection
    this.connection = connection
    this.target = target
    this.plan = plan
    this.needsLookup = !plan.socketPath && !isAddress((target.proxy ?? target).hostname)
    this.startedAt = performance.now()
    this.lookedUpAt = 0
    this.connectedAt = 0
    this.tunnelledAt = 0
    /** The way through a proxy, until it is open. */
    this.tunnel = target.secure && target.proxy ? new Tunnel(target) : null
  }

  /** Opens the socket. */
  begin () {
    this.attempt('connect', () => openSocket(this.target, this.plan, (length) => this.connection.received(length)))
  }

  // Gives the connection its socket, if there is one: Node throws, of bad tlsOptions, where it creates it.
  attempt (phase, createSocket) {
    try {
      listenTo(this.connection, createSocket())
      return true
    } catch (error) {
      this.connection.failedToOpen(error.code ?? 'ERR_CONNECT', phase, error.message)
      return false
    }
  }

  // --- what the socket tells

  /** Of a name with several addresses each is told; the first of them took the time. */
  lookedUp () {
    if (this.lookedUpAt === 0) this.lookedUpAt = performance.now()
  }

  reachedServer () {
    this.connectedAt = performance.now()
    if (this.tunnel !== null) this.connection.socket.write(this.tunnel.request)
    else if (!this.target.secure) this.end(this.connectedAt)
  }

  /**
   * What arrives before the end is the proxy's.
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
    this.tunnelledAt = performance.now()
    const where = { socket: this.connection.socket, host: this.target.hostname }
    return this.attempt('tls', () => startTls(this.target, this.plan, where, (length) => this.connection.received(length)))
  }

  secured () {
    this.end(performance.now())
  }

  /** The FIN of whom we have reached. In a TLS handshake the socket itself makes an error of it. */
  ended () {
    if (this.tunnel !== null) this.connection.failedToOpen(CODES.CLOSED_BY_SERVER, 'connect', 'the proxy closed the connection before it answered CONNECT')
  }

  end (now) {
    this.connection.connected(now, this.times(now))
  }

  /** Where it is now, in the words of the result's errorCodes. */
  get phase () {
    if (this.connectedAt > 0) return this.tunnel === null ? 'tls' : 'connect'
    return this.needsLookup && this.lookedUpAt === 0 ? 'dns' : 'connect'
  }

  // What each part took, ms; null for a part that there was not.
  times (now) {
    const beforeTcp = this.lookedUpAt || this.startedAt
    return {
      total: now - this.startedAt,
      dns: this.lookedUpAt ? this.lookedUpAt - this.startedAt : null,
      tcp: this.connectedAt - beforeTcp,
      tls: this.target.secure ? now - (this.tunnelledAt || this.connectedAt) : null
    }
  }
}

function isAddress (hostname) {
  return hostname.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

module.exports = Handshake
