'use strict'

const world = require('../../../world')

const SETTLED = Promise.resolve()

/**
 * The current turn of the event loop: one callback of Node.js, with all ticks and microtasks that it causes. Code that continues
 * because the library settled a promise continues in the turn in which it was settled; code that waited for anything else does not.
 *
 *     callback ── microtasks ──┐        a tick that is requested in a microtask is executed after all microtasks
 *                              end()
 */
class Turn {
  constructor () {
    /** Which turn this is. A turn in which nothing was settled has no number of its own. */
    this.number = 0
    this.isNoticed = false
    this.visits = []
    this.afterMicrotasks = () => world.nextTick(this.end)
    this.end = this.end.bind(this)
  }

  /** Makes sure that the end of this turn is noticed. @returns {number} its number */
  notice () {
    if (!this.isNoticed) {
      this.isNoticed = true
      SETTLED.then(this.afterMicrotasks)
    }
    return this.number
  }

  /** Calls `visit.turnEnded()` at the end of this turn. */
  reportEnd (visit) {
    this.notice()
    this.visits.push(visit)
  }

  end () {
    const { visits } = this
    this.isNoticed = false
    this.number++
    if (visits.length === 0) return
    this.visits = []
    for (const visit of visits) visit.turnEnded()
  }
}

module.exports = Turn
