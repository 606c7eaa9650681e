'use strict'

const world = require('../world')
const { LONGEST_TIMER_MS } = require('./window')

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
    this.patience = Math.min(LONGEST_TIMER_MS, timeout + GRACE_MS)
    this.timer = world.retimer(() => {
      if (isUsable()) this.restart()
      else onLost()
    }, this.patience)
  }

  /** The time without one begins now, at the earliest; after `pause` ms, where we wait as long before we try again. */
  restart (pause = 0) {
    this.timer.reschedule(Math.min(LONGEST_TIMER_MS, this.patience + pause))
  }

  end () {
    this.timer.clear()
  }
}

module.exports = ConnectionWatch
