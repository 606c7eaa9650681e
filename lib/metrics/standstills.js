'use strict'

/*
 * A thread that generates load reads the clock at least once per BEAT_MS, because of a timer, and whenever something
 * happens. If two reads are further apart, the thread stood still: a listener or a hook blocked it, the machine was busy
 * with something else, or the process was suspended. All of such a gap except its first BEAT_MS was certainly a
 * standstill:
 *
 *     reads    |  |    |   |---------------------------------| |   |
 *     asleep                   [==============================]
 */
const BEAT_MS = 10
// Timers may be this late on a healthy machine.
const SLACK_MS = 10
// Number of standstills to remember: more than can occur during the lifetime of a request.
const KEPT = 1000

/** Records when this thread stood still. All times are in ms of one clock. */
class Standstills {
  constructor () {
    this.lookedAt = Infinity
    this.gaps = []
    /** When the last standstill ended. */
    this.end = -Infinity
  }

  /** The clock was read. @returns {number} how long the thread stood still before; 0 if it did not */
  look (now) {
    const rest = now - this.lookedAt
    this.lookedAt = now
    return rest > BEAT_MS + SLACK_MS ? this.add(now - rest + BEAT_MS, now) : 0
  }

  add (start, end) {
    this.gaps.push({ start, end })
    if (this.gaps.length > 2 * KEPT) this.gaps.splice(0, KEPT)
    this.end = end
    return end - start
  }

  /** Total standstill time between two times. Fast if there was no standstill since the first one. */
  within (start, end) {
    let sum = 0
    for (let index = this.gaps.length - 1; index >= 0 && this.gaps[index].end > start; index--) {
      const gap = this.gaps[index]
      sum += Math.max(0, Math.min(end, gap.end) - Math.max(start, gap.start))
    }
    return sum
  }
}

module.exports = { Standstills, BEAT_MS }
