'use strict'

const world = require('../../world')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')

// The attempts that were begun in the same moment shall reach their own deadline first, so that the result has the reason.
const GRACE_MS = 20

/** Notices that there has been no usable connection for as long as a request may take: a run by amount would wait for ever. */
class ConnectionWatch {
  /**
   * @param {number} timeout of a request, ms
   * @param {function(): boolean} isUsable whether there is a connection now
   * @param {function()} onLost called once
   */
  constructor (timeout, isUsable, onLost) {
    this.patience = timeout + GRACE_MS
    this.until = world.now() + this.patience
    this.timer = world.retimer(() => {
      const left = this.until - world.now()
      if (isUsable()) this.restart()
      // Timers may fire a little early, and not be set for months.
      else if (left > GRACE_MS) this.set(left)
      else onLost()
    }, Math.min(LONGEST_TIMER_MS, this.patience))
  }

  /** The time without one begins now, at the earliest; after `pause` ms, where we wait as long before we try again. */
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
