'use strict'

const world = require('../../world')

// A server that neither accepts nor refuses: after this long without news the schedule starts without it.
const PATIENCE_MS = 1000

/** The wait until the connections that are being opened have been opened, or have failed to. */
class Opening {
  /**
   * @param {Connection[]} connections
   * @param {number} timeout of a connection attempt, ms
   * @param {boolean} [needsAll] it ends when each has been opened or has failed, and not before
   */
  constructor (connections, timeout, needsAll = false) {
    this.connections = connections
    // The deadline of the attempts is a timer, too, and may be late.
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

  /** The connection is open, or has failed. */
  settle (connection) {
    if (this.timer === null || !this.pending.delete(connection)) return
    if (this.pending.size === 0) this.end()
    else this.timer.reschedule(this.patience)
  }

  /** Ends the wait, as it is. */
  end () {
    if (this.timer === null) return
    this.timer.clear()
    this.timer = null
    this.resolve()
  }
}

module.exports = Opening
