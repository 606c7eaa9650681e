'use strict'

const world = require('../world')
const { REDIS_SLOW_MS, STANDSTILL_MS, WATCH_MS } = require('./limits')

/**
 * Regularly checks how long others have been silent. Time in which Redis didn't respond, or in which this thread was stalled,
 * doesn't count, because no one could be heard then.
 */
class Silence {
  /**
   * @param {object} exchange for `silentFor`
   * @param {function(function(number): number, number)} onLook gets a function that returns how long someone has been silent,
   *   given when they were last heard; and how long Redis has been unreachable. All in ms
   */
  constructor (exchange, onLook) {
    this.exchange = exchange
    this.onLook = onLook
    this.audibleSince = world.now()
    this.lookedAt = world.now()
    this.isAway = false
    this.timer = world.setInterval(() => this.look(), WATCH_MS)
  }

  look () {
    const now = world.now()
    if (now - this.lookedAt > WATCH_MS + STANDSTILL_MS) this.audibleSince = now
    this.lookedAt = now
    const away = this.exchange.silentFor
    if (away > REDIS_SLOW_MS) this.isAway = true
    else if (this.isAway) {
      this.isAway = false
      this.audibleSince = now
    }
    this.onLook((heardAt) => this.isAway ? 0 : now - Math.max(heardAt, this.audibleSince), this.isAway ? away : 0)
  }

  end () {
    world.clearInterval(this.timer)
  }
}

module.exports = Silence
