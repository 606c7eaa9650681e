'use strict'

const { createPacer } = require('../../load')

/*
 * How one run is dealt out to n threads. Thread k has the connections k, k + n, k + 2n, … Requests are dealt to the
 * connections, round and round, and go where their connection is:
 *
 *     3 connections, 2 threads:   request      0 1 2 | 3 4 5 | …
 *                                 connection   0 1 2 | 0 1 2
 *                                 thread       0 1 0 | 0 1 0
 *
 * So the parts add up to exactly the whole, a thread with more connections has more to do, and each thread can work out
 * its part alone. An amount for several URLs is dealt to as many connections of each, see split.js.
 *
 * A part is `{ share: k, of: n }`.
 */

/** The whole run, in one thread. */
const WHOLE = Object.freeze({ share: 0, of: 1 })

/** How many of `count` connections are this part's. */
function shareOf (count, { share, of }) {
  return Math.max(0, Math.ceil((count - share) / of))
}

/** How many of the run's first `count` requests are this part's; Infinity stays what it is. */
function requestsOf (count, connections, part) {
  if (count === Infinity) return Infinity
  const rounds = Math.floor(count / connections)
  return rounds * shareOf(connections, part) + shareOf(count % connections, part)
}

/** Whether each URL of the run gets as many requests as every other, whichever answers first. */
function isSplit ({ amount, targets, feed, replay, sessions, schedule, websocket }) {
  if (amount === null || targets.length === 1) return false
  // These determine by themselves who sends what: connections that take turns, too.
  const takesTurns = schedule !== null && websocket?.expect === 'broadcast'
  return !takesTurns && !feed?.amount && replay === null && sessions === null && !schedule?.perConnection
}

/** How many URLs of the run have a connection. */
function urlsUsed ({ connections, targets }) {
  return Math.min(connections, targets.length)
}

/** To how many of the run's connections requests are dealt. Of more, those to the same URLs help with what is dealt to these. */
function dealtTo (plan) {
  return isSplit(plan) ? plan.connections - plan.connections % urlsUsed(plan) : plan.connections
}

/** The number in the whole run of the connection that has the number `index` in this part. */
function numberInWhole (index, { share, of }) {
  return share + index * of
}

/**
 * The arrivals that this part has to send.
 *
 * @param {object} plan with a schedule
 * @param {{ share: number, of: number }} part
 * @param {object} limits of the whole run
 * @param {number} limits.duration seconds
 * @param {number} limits.total how many arrivals it has at most
 * @returns {{ next: function(): number, connection: number }} `connection`: the number in this part of the connection
 *   that the arrival last returned is for, where the schedule is each connection's own
 */
function pacerOf ({ schedule, connections }, part, { duration, total }) {
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

/** Into how many parts a run can be dealt, at most: one without a connection, or without anything to send, would have nothing to do. */
function mostParts ({ connections, amount, maxOverallRequests, sessions, schedule }) {
  if (sessions === null) return Math.min(connections, amount ?? maxOverallRequests ?? Infinity)
  return Math.min(schedule === null ? connections : sessions.maxOpen, sessions.amount ?? Infinity)
}

/**
 * Part `index` of `count` of a part: an agent of a fleet deals its own part out to its threads, and those of all agents
 * together are the whole again.
 *
 *     2 agents, the second with 2 threads:   connection   0 1 2 3 4 5 6 7
 *                                            agent        0 1 0 1 0 1 0 1
 *                                            its thread     0   1   0   1
 */
function partOf ({ share, of }, index, count) {
  return { share: share + index * of, of: of * count }
}

module.exports = { WHOLE, dealtTo, isSplit, mostParts, partOf, shareOf, requestsOf, numberInWhole, pacerOf, urlsUsed }
