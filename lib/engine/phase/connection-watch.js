'use strict'

const world = require('../../world')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')

// Lets connection attempts that began at the same moment reach their own deadline first, so that the result reports the
// reason.
const GRACE_MS = 20

/**
 * Detects that there was no usable connection for as long as a request may take; otherwise a run by amount would wait forever.
 */
class ConnectionWatch {
  /**
   * @param {number} timeout of a request, ms
   * @param {function(): boolean} isUsable whether there is a usable connection now
   * @param {function()} onLost called once
   */
  constructor (timeout, isUsable, onLost) {
    this.patience = timeout + GRACE_MS
    this.until = world.now() + this.patience
    this.timer = world.retimer(() => {
      const left = this.until - world.now()
      if (isUsable()) this.restart()
      // Timers may fire slightly early, and cannot be set for months ahead.
      else if (left > 0) this.set(left)
      else onLost()
    }, Math.min(LONGEST_TIMER_MS, this.patience))
  }

  /** Restarts the time limit. `pause` (ms) extends it, for a back-off before the next connection attempt. */
  restart (pause = 0) {
    this.until = world.now() + this.patience + pause
    this.set(this.patience + pause)
  }

  set (ms) {
    this.timer.reschedule(Math.min(LONGEST_TIMER_MS, ms))
  }

  end () {
    this.timer.clear()
  }
}

module.exports = ConnectionWatch
