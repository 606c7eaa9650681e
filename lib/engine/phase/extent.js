'use strict'

const { createPacer, endOfArrivals, expectedArrivals, scheduleDuration } = require('../../load')
const { dealtTo, requestsOf } = require('../deal/part')

/** How much a phase has to do, and for how long at most: what its plan says, for its part of the run. */
class Extent {
  /**
   * @param {object} plan of the phase
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   * @param {number} supply how many requests the rows of a feed are good for, Infinity where they do not run out
   */
  constructor (plan, part, supply) {
    this.schedule = plan.schedule
    /** How many requests, or sessions, the whole run is to have, in all its parts; null where time ends it. */
    this.amount = plan.sessions === null ? plan.amount : plan.sessions.amount
    /** Seconds; a run by amount takes as long as it takes. */
    this.longestWindow = this.amount === null ? plan.duration : Infinity
    /** How many requests end the run, in all its parts. Rows that are used up end each part by themselves. */
    this.inAll = requestsInAll(plan)
    this.endsWithRows = supply !== Infinity
    /** Whether the run is over when so many sessions are. */
    this.endsWithSessions = plan.sessions !== null && this.amount !== null
    // Not where a row may take more requests, or where each connection has a schedule, and so a number of them, of its own.
    const isKnown = plan.followRedirects === null && !plan.schedule?.perConnection
    const ours = requestsOf(this.inAll, dealtTo(plan), part)
    /** How many requests end this part. */
    this.total = isKnown ? Math.min(ours, supply) : ours
  }

  /** Whether only the clock ends it, though nothing may come due for the last part of it. */
  get isOfTime () {
    return this.total === Infinity && this.amount === null
  }

  /** How many requests, or sessions, the schedule of the whole run has in so many seconds; of random ones the expected number. */
  arrivalsIn (seconds) {
    return Math.min(expectedArrivals(this.schedule, Math.min(seconds, this.longestWindow)), this.amount ?? this.inAll)
  }

  /** How long the schedule of the whole run is, seconds; Infinity where neither an amount nor the clock ends it. */
  get span () {
    const total = this.amount ?? this.inAll
    if (total === Infinity) return this.spanOf(0, Infinity)
    const pacer = createPacer(this.schedule)
    pacer.skip(total)
    return this.spanOf(total, pacer.next())
  }

  /**
   * How long the schedule is of which everything has come due.
   *
   * @param {number} scheduled how many requests that were
   * @param {number} next when the one after would have been due, seconds since the start
   * @returns {number} seconds
   */
  spanOf (scheduled, next) {
    const total = this.amount ?? this.inAll
    const end = endOfArrivals(this.schedule, total === Infinity ? scheduled : total, next)
    // Stages come to an end by themselves.
    return Math.min(end, this.longestWindow, scheduleDuration(this.schedule))
  }
}

function requestsInAll ({ amount, maxOverallRequests, maxConnectionRequests, connections, feed }) {
  const inAll = (feed?.amount ? null : amount) ?? maxOverallRequests
  if (inAll !== null) return inAll
  return maxConnectionRequests === null ? Infinity : maxConnectionRequests * connections
}

module.exports = Extent
