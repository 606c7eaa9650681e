'use strict'

const Tunnel = require('./tunnel')

/** The way of a connection from its first step until requests can go out: the lookup of the name, TCP, a proxy, TLS. */
class Handshake {
  /**
   * @param {object} target of the plan
   * @param {object} plan
   * @param {number} now ms
   */
  constructor (target, plan, now) {
    this.target = target
    this.needsLookup = !plan.socketPath && !isAddress((target.proxy ?? target).hostname)
    this.startedAt = now
    this.lookedUpAt = 0
    this.connectedAt = 0
    this.tunnelledAt = 0
    /** The way through a proxy, until it is open. */
    this.tunnel = target.secure && target.proxy ? new Tunnel(target) : null
  }

  /** Of a name with several addresses each is told; the first of them took the time. */
  lookedUp (now) {
    if (this.lookedUpAt === 0) this.lookedUpAt = now
  }

  tunnelled (now) {
    this.tunnel = null
    this.tunnelledAt = now
  }

  /** Where it is now, in the words of the result's errorCodes. */
  get phase () {
    if (this.connectedAt > 0) return this.tunnel === null ? 'tls' : 'connect'
    return this.needsLookup && this.lookedUpAt === 0 ? 'dns' : 'connect'
  }

  /** What each part took, ms; null for a part that there was not. */
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
