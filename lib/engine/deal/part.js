'use strict'

/*
 * How a run is divided among n threads. Thread k gets connections k, k + n, k + 2n, … Requests are dealt to the connections in
 * turn, and each request belongs to the thread that owns its connection:
 *
 *     3 connections, 2 threads:   request      0 1 2 | 3 4 5 | …
 *                                 connection   0 1 2 | 0 1 2
 *                                 thread       0 1 0 | 0 1 0
 *
 * So the parts always add up to the whole, a thread with more connections does more work, and each thread can compute its part
 * alone. An amount for several URLs is dealt to an equal number of connections for each URL, see split.js.
 *
 * A part is `{ share: k, of: n }`.
 */

/** The whole run, in one thread. */
const WHOLE = Object.freeze({ share: 0, of: 1 })

/** How many of `count` connections are this part's. */
function shareOf (count, { share, of }) {
  return Math.max(0, Math.ceil((count - share) / of))
}

/** How many of the run's first `count` requests belong to this part; Infinity stays Infinity. */
function requestsOf (count, connections, part) {
  if (count === Infinity) return Infinity
  const rounds = Math.floor(count / connections)
  return rounds * shareOf(connections, part) + shareOf(count % connections, part)
}

/** Whether each URL must get the same number of requests, even if some URLs respond faster than others. */
function isSplit ({ amount, targets, feed, replay, sessions, schedule, websocket }) {
  if (amount === null || targets.length === 1) return false
  // These features decide by themselves who sends what; so do connections that take turns.
  const takesTurns = schedule !== null && websocket?.expect === 'broadcast'
  return !takesTurns && !feed?.amount && replay === null && sessions === null && !schedule?.perConnection
}

/** How many URLs of the run have a connection. */
function urlsUsed ({ connections, targets }) {
  return Math.min(connections, targets.length)
}

/** How many of the run's connections requests are dealt to. Any further connections share the work of those with the same URL. */
function dealtTo (plan) {
  return isSplit(plan) ? plan.connections - plan.connections % urlsUsed(plan) : plan.connections
}

/** Converts a connection's index in this part to its number in the whole run. */
function numberInWhole (index, { share, of }) {
  return share + index * of
}

/** Converts the number of one of this part's requests, which are dealt to so many connections, to its number in the whole run. */
function requestInWhole (number, connections, part) {
  const ours = shareOf(connections, part)
  return Math.floor(number / ours) * connections + numberInWhole(number % ours, part)
}

/**
 * The arrivals that this part has to send.
 *
 * @param {object} plan with a schedule
 * @param {{ share: number, of: number }} part
 * @param {object} limits of the whole run
 * @param {number} limits.duration seconds
 * @param {number} limits.total how many arrivals it has at most
 * @returns {{ next: function(): number, connection: number }} `connection`: the index, in this part, of the connection that the
 *   arrival last returned is for; only meaningful if each connection has its own schedule
 */
function pacerOf ({ schedule, connections }, part, { duration, total }) {
  const { createPacer } = require('../../load')
  const pacer = createPacer(schedule, { ...part, cycle: connections, limit: total, duration })
  return schedule.perConnection ? new ConnectionArrivals(pacer, connections, part) : pacer
}

class ConnectionArrivals {
  constructor (pacer, connections, part) {
    this.pacer = pacer
    this.connections = connections
    this.of = part.of
  }

  next () {
    return this.pacer.next()
  }

  get connection () {
    return Math.floor(this.pacer.index % this.connections / this.of)
  }
}

/** The maximum number of parts of a run. Further parts would have no connection, or nothing to send. */
function mostParts ({ connections, amount, maxOverallRequests, sessions, schedule }) {
  if (sessions === null) return Math.min(connections, amount ?? maxOverallRequests ?? Infinity)
  return Math.min(schedule === null ? connections : sessions.maxOpen, sessions.amount ?? Infinity)
}

/**
 * Returns part `index` of `count` of a part. An agent of a fleet divides its own part among its threads; the parts of all agents'
 * threads together make up the whole run.
 *
 *     2 agents, the second with 2 threads:   connection   0 1 2 3 4 5 6 7
 *                                            agent        0 1 0 1 0 1 0 1
 *                                            its thread     0   1   0   1
 */
function partOf ({ share, of }, index, count) {
  return { share: share + index * of, of: of * count }
}

module.exports = { WHOLE, dealtTo, isSplit, mostParts, partOf, shareOf, requestsOf, numberInWhole, pacerOf, requestInWhole, urlsUsed }
