'use strict'

const world = require('../../world')

/*
 * All requests have the same time, so of each connection only the oldest can be the next to run out. Instead of a timer
 * per request, one timer wakes at the earliest deadline there is, ends what is late, and finds the next one: with a
 * server that answers it wakes once per timeout. It wakes at most once a millisecond, or a thousandth of the timeout.
 */
class Deadlines {
  /**
   * @param {Connection[]} connections
   * @param {number} timeout ms
   * @param {boolean} fromDueTime whether a request's time counts from when it was due, or from when it was sent
   * @param {function(number): number} onSweep looks at what else has a deadline; gives when the oldest of it began, ms
   */
  constructor (connections, timeout, fromDueTime, onSweep) {
    this.connections = connections
    this.timeout = timeout
    this.fromDueTime = fromDueTime
    this.onSweep = onSweep
    this.leastWait = Math.max(1, timeout / 1000)
    this.timer = null
    this.sweep = this.sweep.bind(this)
  }

  begin () {
    this.arm(world.now(), Infinity)
  }

  sweep () {
    const now = world.now()
    const earliest = this.expireLate(now)
    const oldestElse = this.onSweep(now)
    if (this.timer !== null) this.arm(now, Math.min(earliest, oldestElse))
  }

  // Gives when the oldest thing that is not late began.
  expireLate (now) {
    let earliest = Infinity
    for (const connection of this.connections) {
      let started = connection.waitsSince(this.fromDueTime)
      // Each time it ends at least the oldest thing; where that is no end of the connection, others may be late as well.
      for (; started + this.timeout <= now; started = connection.waitsSince(this.fromDueTime)) connection.expire(now - this.timeout)
      if (started < earliest) earliest = started
    }
    return earliest
  }

  arm (now, earliest) {
    const until = Math.min(earliest, now) + this.timeout - now
    this.timer = world.setTimeout(this.sweep, Math.max(this.leastWait, Math.ceil(until)))
  }

  /** The end; what is late by `now` is late, though the timer has not seen it yet. */
  end (now) {
    if (this.timer === null) return
    world.clearTimeout(this.timer)
    this.timer = null
    this.expireLate(now)
  }
}

module.exports = Deadlines
