'use strict'

const { dealtTo, requestInWhole, requestsOf } = require('../deal/part')

// Loaded on demand: the closed model has no schedule.
const load = () => require('../../load')

/** How much a phase has to do, and its maximum duration, for its part of the run. */
class Extent {
  /**
   * @param {object} plan of the phase
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   * @param {number} supply how many requests the feed rows allow; Infinity if they do not run out
   */
  constructor (plan, part, supply) {
    this.schedule = plan.schedule
    this.part = part
    this.dealtTo = dealtTo(plan)
    /** How many requests, or sessions, the whole run has, over all its parts; null if time ends it. */
    this.amount = plan.sessions === null ? plan.amount : plan.sessions.amount
    /** Seconds; a run by amount has no time limit. */
    this.longestWindow = this.amount === null ? plan.duration : Infinity
    /** How many requests end the run, over all its parts. Independently, each part ends when its feed rows are used up. */
    this.inAll = requestsInAll(plan)
    this.endsWithRows = supply !== Infinity
    /** Whether the run ends after a fixed number of sessions. */
    this.endsWithSessions = plan.sessions !== null && this.amount !== null
    // Not known if redirects make a row take more requests, or if each connection has its own schedule and thus its own number of
    // requests.
    const isKnown = plan.followRedirects === null && !plan.schedule?.perConnection
    const ours = requestsOf(this.inAll, this.dealtTo, part)
    /** How many requests end this part. */
    this.total = isKnown ? Math.min(ours, supply) : ours
    /** Whether the feed rows, and not the amount, say how many requests that is. */
    this.isOfRows = this.total < ours
  }

  /** Whether only the clock ends the phase, even if nothing comes due in the last part of it. */
  get isOfTime () {
    return this.total === Infinity && this.amount === null
  }

  /**
   * How many requests, or sessions, the schedule of the whole run has in this many seconds; the expected number if it is random.
   */
  arrivalsIn (seconds) {
    return Math.min(load().expectedArrivals(this.schedule, Math.min(seconds, this.longestWindow)), this.amount ?? this.inAll)
  }

  /** The length of the schedule of the whole run, seconds; Infinity if neither an amount nor the clock ends it. */
  get span () {
    const total = this.amount ?? this.inAll
    if (total === Infinity) return this.spanOf(0, Infinity)
    const pacer = load().createPacer(this.schedule)
    pacer.skip(total)
    return this.spanOf(total, pacer.next())
  }

  /**
   * The length of the schedule after everything has come due.
   *
   * @param {number} scheduled how many requests came due
   * @param {number} next when the next one would have been due, seconds since the start
   * @returns {number} seconds
   */
  spanOf (scheduled, next) {
    const total = this.amount ?? this.inAll
    return this.spanUntil(total === Infinity ? scheduled : total, next)
  }

  /**
   * The same if this part has used its rows: until the next request of the whole run would have been due, which may be another part's.
   *
   * @param {number} scheduled how many requests of this part came due, at least one
   * @returns {number} seconds
   */
  spanOfRows (scheduled) {
    const count = requestInWhole(scheduled - 1, this.dealtTo, this.part) + 1
    const pacer = load().createPacer(this.schedule)
    pacer.skip(count)
    return this.spanUntil(count, pacer.next())
  }

  spanUntil (count, next) {
    const end = load().endOfArrivals(this.schedule, count, next)
    // A schedule of stages has an end of its own.
    return Math.min(end, this.longestWindow, load().scheduleDuration(this.schedule))
  }
}

function requestsInAll ({ amount, maxOverallRequests, maxConnectionRequests, connections, feed }) {
  const inAll = (feed?.amount ? null : amount) ?? maxOverallRequests
  if (inAll !== null) return inAll
  return maxConnectionRequests === null ? Infinity : maxConnectionRequests * connections
}

module.exports = Extent
