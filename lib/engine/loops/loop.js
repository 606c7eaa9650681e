'use strict'

/**
 * Decides what is sent, and when. These are all methods that a phase, its ending and its pool call on a loop; subclasses override
 * what they do differently.
 *
 *     phase   begin(startAt) ── ready, closed, unwritten, lost ── end(now) ── endFailed(now) ── leaveUnsent(now)
 *     ending  notice(now) before the window closes; isExhausted, isIdle, isWaiting; forget()
 *     pool    hasRequestsFor(connection), needsConnections, lacksConnections
 *
 * A loop in turn uses its owner, the phase: `recorder`, `connections`, `pool`, `maySend` and `window.isOpen`; and calls
 * `scheduleEnded(time)` and `check()` of its `ending`.
 */
class Loop {
  /** @param {number} budget the maximum number of requests, or sessions, that may come due; Infinity for no limit */
  constructor (budget) {
    this.budget = budget
  }

  /** How long the event loop only polled the clock, ms. */
  get watchingTime () {
    return 0
  }

  // --- what it needs

  /** Whether more requests will be sent, so that a connection is worth opening. */
  get needsConnections () {
    return true
  }

  hasRequestsFor (connection) {
    return true
  }

  /** Whether everything that a connection could send has been given out, although it may have rows left for more. */
  hasGivenAllTo (connection) {
    return false
  }

  /** Whether a connection that is not open yet could be preventing requests from being sent. */
  get lacksConnections () {
    return this.budget > 0
  }

  /** The index of the scenario that a connection's session belongs to; null without scenarios. */
  scenarioOf (connection) {
    return null
  }

  /** The share of their wait for which hooks are to blame if waiting requests are never sent. */
  get hookShare () {
    return 0
  }

  // --- how far it is

  /** Whether nothing more will come due. */
  get isExhausted () {
    return false
  }

  /** Whether no request or session waits or is under way, apart from requests in flight. */
  get isIdle () {
    return true
  }

  /** Whether sessions that have begun continue after the window closes. */
  get outlivesWindow () {
    return false
  }

  // --- what it is told

  /** A connection has closed, and all its requests are accounted for. */
  closed (connection) {}

  /** A request on a connection has failed or timed out. */
  lost (connection, isLate, fault) {}

  /** A connection could not be opened. */
  notOpened (connection, isLate, fault) {}

  /** Processes everything that has come due by now. */
  notice (now) {}

  /** Takes over from the loop of an earlier phase; users that were backing off keep waiting. */
  inheritBackOff (earlier) {}

  /** Discards the requests that wait and lets nothing more come due, because there is no data left to send. */
  forget () {}

  // --- what waits

  /**
   * Drops requests that have waited too long. @returns {number} when the oldest remaining one came due, ms; Infinity if none
   * waits
   */
  dropAllLate (now) {
    return Infinity
  }

  /** Calls `visit` with the due time of each request that is due but not sent, and its scenario if there are any. */
  eachWaiting (visit) {}

  /** The phase ends now: sessions that have failed lose what they have in flight, which is thus not unfinished. */
  endFailed (now) {}

  /** Records requests that came due and were never sent. Called last in a phase, since they age until then. */
  leaveUnsent (now) {}
}

module.exports = Loop
