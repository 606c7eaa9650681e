'use strict'

/**
 * Who decides when what is sent: what a phase, its ending and its pool may ask of a loop and tell it. A loop answers as this
 * class does unless it says otherwise.
 *
 *     phase   begin(startAt) ── ready, closed, unwritten, lost ── end(now) ── leaveUnsent(now)
 *     ending  notice(now) before the window closes; isExhausted, isIdle, isWaiting; forget()
 *     pool    hasRequestsFor(connection), needsConnections, lacksConnections
 *
 * In turn a loop uses of its owner, the phase: `recorder`, `connections`, `pool`, `maySend`, and `window.isOpen`; and tells its
 * `ending` `scheduleEnded(time)` and `check()`.
 */
class Loop {
  /** @param {number} budget how many requests, or sessions, may come due in all; Infinity for no limit */
  constructor (budget) {
    this.budget = budget
  }

  /** How long the event loop did nothing but look at the clock, ms. */
  get watchingTime () {
    return 0
  }

  // --- what it needs

  /** Whether more requests will be sent, so that a connection is worth opening. */
  get needsConnections () {
    return true
  }

  /** Whether there is something left for this connection to send. */
  hasRequestsFor (connection) {
    return true
  }

  /** Whether a connection that has not opened by now keeps something from being sent. */
  get lacksConnections () {
    return this.budget > 0
  }

  // --- how far it is

  /** Whether nothing will come due any more. */
  get isExhausted () {
    return false
  }

  /** Whether nobody is there but for what is in flight. */
  get isIdle () {
    return true
  }

  /** Whether what has begun goes on behind the window. */
  get outlivesWindow () {
    return false
  }

  // --- what it is told

  /** A connection has ended, with all its requests accounted for. */
  closed (connection) {}

  /** A request on a connection has failed or timed out, or the connection could not be opened. */
  lost (connection, isLate) {}

  /** Takes in what has come due by now. */
  notice (now) {}

  /** Takes over from the loop of an earlier phase; users that were backing off keep waiting. */
  inheritBackOff (earlier) {}

  /** There is nothing left to send: what waits is no request at all, and nothing more comes due. */
  forget () {}

  // --- what waits

  /** What has waited too long is never sent. @returns {number} when the oldest that still waits was due, ms; Infinity: none does */
  dropAllLate (now) {
    return Infinity
  }

  /** Calls back for each request that is due and not sent: when it came due. */
  eachWaiting (visit) {}

  /** Accounts for what came due and was never sent; the last thing in a phase, since its age counts until then. */
  leaveUnsent (now) {}
}

module.exports = Loop
