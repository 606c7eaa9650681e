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
// A late awakening raises the lead by this factor, and this many punctual ones lower it by the same. So with a constant distribution
// of delays, one in about this many is late. Before the first late one, the lead falls faster.
const RISE = 1.2
const PUNCTUAL_PER_LATE = 50
const PUNCTUAL_AT_FIRST = 10

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
    this.fall = fallPer(PUNCTUAL_AT_FIRST)
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
      if (dueAt - LEAST_LEAD_MS - now >= LEAST_NAP_MS) this.learn(0, dueAt)
      return 0
    }
    if (!world.nap(duration)) return 0
    this.learn(world.now() - wakeAt, dueAt)
    return duration
  }

  /**
   * Adjusts the lead. A nap that was not possible, only because the lead was too long, counts as a punctual one: otherwise, a long
   * lead would last forever at high rates.
   *
   * @param {number} lateness ms
   * @param {number} dueAt ms
   */
  learn (lateness, dueAt) {
    if (dueAt === this.learnedFor) return
    this.learnedFor = dueAt
    if (lateness <= this.lead - SPARE_MS) {
      this.lead = Math.max(LEAST_LEAD_MS, this.lead * this.fall)
    } else {
      this.lead = Math.min(LONGEST_LEAD_MS, this.lead * RISE)
      this.fall = fallPer(PUNCTUAL_PER_LATE)
    }
  }
}

function fallPer (count) {
  return RISE ** (-1 / count)
}

module.exports = Nap
