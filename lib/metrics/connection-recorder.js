'use strict'

const { DISTRIBUTIONS } = require('./counted')
const Distribution = require('./distribution')
const { ErrorCodes } = require('./error-codes')
const { microseconds } = require('../base/rounding')

/** Counts the connections of a run. A Recorder also counts its requests, and has the counters, `missing` and `targets` that are used here. */
class ConnectionRecorder {
  constructor () {
    /** How many are open. */
    this.connections = 0
    this.errorCodes = new ErrorCodes()
    this.distributions = Object.fromEntries(DISTRIBUTIONS.map((name) => [name, new Distribution()]))
  }

  /** @param {number} count how many connects have been started in this iteration of the event loop so far */
  beganTogether (count) {
    if (count > this.burst) this.burst = count
  }

  /** A connection to a target is usable. Times are in milliseconds; `dns` and `tls` are null if that phase was not needed. */
  openedConnection (total, dns, tcp, tls, target) {
    this.opened++
    this.targets?.openedConnection(target)
    this.connections++
    if (this.connections > this.peak) this.peak = this.connections
    const { connectTime, dnsTime, tcpTime, tlsTime } = this.distributions
    connectTime.record(microseconds(total))
    tcpTime.record(microseconds(tcp))
    if (dns !== null) dnsTime.record(microseconds(dns))
    if (tls !== null) tlsTime.record(microseconds(tls))
  }

  failedConnection (fault, target, now) {
    this.connectionsFailed++
    this.targets?.failedConnection(target)
    this.errorCodes.count(fault, now)
  }

  /** Like `failedConnection`, for a connection of a session of a scenario; null if there are none. */
  failedConnectionOf (scenario, ...rest) {
    this.failedConnection(...rest)
  }

  /**
   * @param {boolean} byServer
   * @param {?number} [lifetime] ms since it was started, if it received a response
   * @param {?number} [inVain] ms since it was started, if it received no response and a request on it passed its deadline
   */
  closedConnection (byServer, lifetime = null, inVain = null) {
    this.connections--
    if (byServer) this.closedByServer++
    else this.closedByClient++
    if (lifetime !== null) this.distributions.connectionLifetime.record(microseconds(lifetime))
    if (inVain !== null) this.missing.unanswered(inVain, false)
  }

  /** Takes over the connections that another phase (a warm-up) left open. @param {object[]} targets one per connection */
  inheritConnections (targets) {
    const count = targets.length
    this.connections = count
    this.peak = count
    for (const target of targets) this.targets?.openedConnection(target)
  }
}

module.exports = ConnectionRecorder
