'use strict'

/*
 * A process that sleeps is woken some 100 us after an answer has come, and that would be taken for the server's time. So
 * who wants to be exact looks at the sockets all the time while an answer is due soon:
 *
 *     sent ───────── quick ─────────────── answered
 *              |<-- lead -->|<-- longest -->|
 *            from                         until
 *
 * `quick` is how long the quickest of the recent answers took. Nothing is looked for that takes so long that the time to
 * wake up is lost in the resolution of a histogram, a thousandth.
 */
const LEAD_MS = 1.5
const LONGEST_MS = 5
const SLOW_MS = 100
// It falls half of the way to a quicker answer, and rises by at most so much with a slower one: one stall changes little.
const RISE = 0.05
// When requests come due 2.5 ms apart (closer, and the loop looks all the time), those of the last SLOW_MS find room.
const KEPT = 64

/** When answers are due soon. All times in ms of one clock. */
class Outlook {
  constructor () {
    this.quick = 0
    this.isKnown = false
    this.times = new Float64Array(KEPT)
    this.count = 0
    this.lookedAt = -Infinity
    /** Until when to look for the answer that is due first; see `from`. */
    this.until = Infinity
  }

  /** A request was sent. */
  sent (now) {
    this.lookedAt = -Infinity
    this.times[this.count++ & (KEPT - 1)] = now
  }

  /** The event loop has looked at the clock, and asks the sockets at once what has come: it does not sleep before. */
  looked (now) {
    this.lookedAt = now
  }

  /**
   * Something has come. What else has come with it was read later than it was found, and when is not known.
   *
   * @returns {number} when the loop had looked at the clock before it asked; -Infinity: that is no longer what happened last
   */
  takeLook () {
    const { lookedAt } = this
    this.lookedAt = -Infinity
    return lookedAt
  }

  /** An answer took so many ms. */
  answered (milliseconds) {
    const further = milliseconds - this.quick
    if (further < 0) this.quick += further / 2
    else if (this.isKnown) this.quick += Math.min(further, this.quick * RISE + 0.001)
    else this.learn(milliseconds)
  }

  learn (milliseconds) {
    this.quick = milliseconds
    this.isKnown = true
  }

  /**
   * When to look for the next answer, which may have been some time ago, and `until` when.
   *
   * @param {number} now
   * @param {number} inFlight how many answers are missing. Which ones is not known: taken are those to the last requests
   * @returns {number} Infinity: no answer is due that is worth it
   */
  from (now, inFlight) {
    this.until = Infinity
    if (inFlight <= 0 || this.quick > SLOW_MS) return Infinity
    for (let age = Math.min(inFlight, KEPT, this.count); age > 0; age--) {
      const expected = this.times[(this.count - age) & (KEPT - 1)] + this.quick
      if (expected + LONGEST_MS <= now) continue
      this.until = expected + LONGEST_MS
      return expected - LEAD_MS
    }
    return Infinity
  }
}

module.exports = Outlook
