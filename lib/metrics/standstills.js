'use strict'

/*
 * A thread that generates load looks at the clock at least once per BEAT_MS, since a timer makes it, and as often as
 * something happens. Where two looks lie further apart it stood still: a listener or a hook kept it, the machine was busy
 * elsewhere, or the process was stopped. Of such a gap all but the first BEAT_MS is certain:
 *
 *     looks    |  |    |   |---------------------------------| |   |
 *     asleep                   [==============================]
 */
const BEAT_MS = 10
// What a timer is late by on a machine that is well.
const SLACK_MS = 10
// More than can lie in the life of a request that anybody looks at.
const KEPT = 1000

/** When this thread stood still. All times in ms of one clock. */
class Standstills {
  constructor () {
    this.lookedAt = Infinity
    this.gaps = []
    /** When the last one ended. */
    this.end = -Infinity
  }

  /** Somebody has looked at the clock. @returns {number} how long the thread stood still before, 0 where it did not */
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

  /** How much of the time between two moments it stood still. Quick where nothing happened since the first. */
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
