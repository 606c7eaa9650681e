'use strict'

const world = require('../../world')

// If a server neither accepts nor refuses connections, the schedule starts after this long without news.
const PATIENCE_MS = 1000

/** Waits until the connections that are being opened are open or have failed. */
class Opening {
  /**
   * @param {number} timeout of a connection attempt, ms
   * @param {number} timeout of a connection attempt, ms
   * @param {boolean} [needsAll] whether to wait until each connection is open or has failed
   */
  constructor (connections, timeout, needsAll = false) {
    this.connections = connections
    // Twice the timeout, since the timer that enforces it on the attempts may be late.
    this.patience = needsAll ? 2 * timeout : Math.min(PATIENCE_MS, timeout)
    this.pending = new Set()
    this.timer = null
    this.resolve = null
  }

  /** @returns {Promise} */
  wait () {
    for (const connection of this.connections) {
      if (connection.isConnecting) this.pending.add(connection)
    }
    if (this.pending.size === 0) return Promise.resolve()
    this.timer = world.retimer(() => this.end(), this.patience)
    return new Promise((resolve) => { this.resolve = resolve })
  }

  /** Called when the connection is open, or has failed. */
  settle (connection) {
    if (this.timer === null || !this.pending.delete(connection)) return
    if (this.pending.size === 0) this.end()
    else this.timer.reschedule(this.patience)
  }

  /** Ends the wait, even if connections are still pending. */
  end () {
    if (this.timer === null) return
    this.timer.clear()
    this.timer = null
    this.resolve()
  }
}

module.exports = Opening
