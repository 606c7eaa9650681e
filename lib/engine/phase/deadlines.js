'use strict'

const world = require('../../world')

/*
 * Nearly all requests have the same timeout, so only the one of each connection that has waited the longest can be the next to time
 * out. Instead of one timer per request, a single timer fires at the earliest deadline, expires what is late, and finds the next
 * deadline: if the server responds in time, it fires once per timeout. It fires at most once per millisecond, or per thousandth of
 * the timeout if that is longer.
 */
class Deadlines {
  /**
   * @param {Connection[]} connections
   * @param {number} timeout ms
   * @param {boolean} fromDueTime whether the timeout counts from when a request was due, or else from when it was sent
   * @param {function(number): number} onSweep expires other things with a deadline; returns when the oldest remaining one began,
   *   ms
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

  // Returns the start time of the oldest thing that has not expired.
  expireLate (now) {
    let earliest = Infinity
    for (const connection of this.connections) {
      let started = connection.waitsSince(this.fromDueTime)
      // Each call expires at least the oldest request. If the connection stays open, further ones may be late as well.
      for (; started + this.timeout <= now; started = connection.waitsSince(this.fromDueTime)) connection.expire(now - this.timeout)
      if (started < earliest) earliest = started
    }
    return earliest
  }

  arm (now, earliest) {
    const until = Math.min(earliest, now) + this.timeout - now
    this.timer = world.setTimeout(this.sweep, Math.max(this.leastWait, Math.ceil(until)))
  }

  /** Ends the timer. What is late by `now` still expires, even if the timer has not fired yet. */
  end (now) {
    if (this.timer === null) return
    world.clearTimeout(this.timer)
    this.timer = null
    this.expireLate(now)
  }
}

module.exports = Deadlines
