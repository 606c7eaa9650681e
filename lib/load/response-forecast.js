'use strict'

/*
 * A sleeping process is woken some 100 us after a response has arrived, and this delay would be attributed to the server. To
 * measure precisely, the event loop therefore polls the sockets continuously while a response is due soon:
 *
 *     sent ───────── quick ─────────────── answered
 *              |<-- lead -->|<-- longest -->|
 *            from                         until
 *
 * `quick` is the time of the fastest recent responses. There is no polling for responses so slow that the wake-up delay is
 * below the resolution of a histogram, a thousandth.
 */
const LEAD_MS = 1.5
const LONGEST_MS = 5
const SLOW_MS = 100
// A faster response lowers `quick` by half of the difference, and a slower one raises it by at most this share, so one stall
// changes little.
const RISE = 0.05
// Enough for the requests of the last SLOW_MS if they are due 2.5 ms apart (if they are closer, the loop polls all the
// time).
const KEPT = 64

/** Predicts when responses are due soon. All times are in ms of one clock. */
class ResponseForecast {
  constructor () {
    this.quick = 0
    this.isKnown = false
    this.times = new Float64Array(KEPT)
    this.count = 0
    this.lookedAt = -Infinity
    /** Until when to poll for the response that is due first; see `from`. */
    this.until = Infinity
  }

  /** A request was sent. */
  sent (now) {
    this.lookedAt = -Infinity
    this.times[this.count++ & (KEPT - 1)] = now
  }

  /** The event loop has read the clock and checks the sockets immediately, without sleeping. */
  looked (now) {
    this.lookedAt = now
  }

  /**
   * Called when something has arrived. Anything that arrived with it is read later than it was found, at an unknown time.
   *
   * @returns {number} when the loop read the clock before it checked; -Infinity if something else has happened since
   */
  takeLook () {
    const { lookedAt } = this
    this.lookedAt = -Infinity
    return lookedAt
  }

  /** A response took this many ms. */
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
   * Returns when to start polling for the next response, which may be in the past, and sets `until`.
   *
   * @param {number} now
   * @param {number} inFlight number of outstanding responses. They are assumed to be those to the latest requests
   * @returns {number} Infinity if no response is due for which polling is worthwhile
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

module.exports = ResponseForecast
