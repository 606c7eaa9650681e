'use strict'

const world = require('../../world')

/** The longest lead, ms. A thread that wakes so unreliably that it needs this much is no better than a timer. */
const LONGEST_LEAD_MS = 1.5
const LEAST_LEAD_MS = 0.08
const FIRST_LEAD_MS = 0.5
// The part of the lead that remains for the first turns of the event loop after a nap.
const SPARE_MS = 0.03
// A shorter nap takes more CPU time than polling.
const LEAST_NAP_MS = 0.05
// A punctual awakening lowers the lead by this factor, and before the first one that is not punctual, by more. One that leaves less than
// SPARE_MS raises it by as much as this many punctual ones lower it, and one after the due time by as much as that many. So with a constant
// distribution of delays, at most one in about 10 is short of time, and one in 25 is late.
const FALL = 0.997
const FIRST_FALL = 0.98
const RISE_IF_SHORT = FALL ** -10
const RISE_IF_LATE = FALL ** -25
// How much a nap that was not possible counts, compared with a punctual one. It wakes nobody late, so it need not be risked again soon.
const UNTRIED = 0.5

/**
 * Sleeps until shortly before a due time, by the clock of the system, which is finer than a timer's millisecond. The event loop is
 * blocked meanwhile. How long before the due time to wake is learned from how late the system has woken this thread before.
 *
 *     |── naps ──────────────────|         lead          |
 *     now              woken on time ── woken late ── due time
 */
class Nap {
  constructor () {
    /** How long before a due time to wake, ms. */
    this.lead = FIRST_LEAD_MS
    this.fall = FIRST_FALL
    /** The due time of the last lesson. There is one for each due time. */
    this.learnedFor = -Infinity
  }

  /**
   * @param {number} dueAt ms
   * @param {number} now ms
   * @returns {number} for how long it was to sleep, ms; 0 if it did not
   */
  before (dueAt, now) {
    const wakeAt = dueAt - this.lead
    const duration = wakeAt - now
    if (duration < LEAST_NAP_MS) {
      if (dueAt - LEAST_LEAD_MS - now >= LEAST_NAP_MS) this.forgo(dueAt)
      return 0
    }
    if (!world.nap(duration)) return 0
    this.learn(world.now() - wakeAt, dueAt)
    return duration
  }

  /**
   * Adjusts the lead, once for each due time.
   *
   * @param {number} lateness ms
   * @param {number} dueAt ms
   */
  learn (lateness, dueAt) {
    if (dueAt === this.learnedFor) return
    this.learnedFor = dueAt
    if (lateness <= this.lead - SPARE_MS) {
      this.lower(this.fall)
    } else {
      this.lead = Math.min(LONGEST_LEAD_MS, this.lead * (lateness <= this.lead ? RISE_IF_SHORT : RISE_IF_LATE))
      this.fall = FALL
    }
  }

  // Only the lead was too long for a nap. It has to fall nevertheless: otherwise, a long one would last forever at high rates.
  forgo (dueAt) {
    if (dueAt === this.learnedFor) return
    this.learnedFor = dueAt
    this.lower(this.fall ** UNTRIED)
  }

  lower (factor) {
    this.lead = Math.max(LEAST_LEAD_MS, this.lead * factor)
  }
}

module.exports = Nap
