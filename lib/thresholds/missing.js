'use strict'

const { CODES } = require('../base/errors')
const { HISTOGRAM_OF } = require('../metrics/figures')
const { NONE_MISSING } = require('./bounds')

/*
 * How many values a figure lacks because requests or connections did not reach the point that is measured: the time to the last byte of
 * a request that timed out, or the gap after the last event of a stream that did. A result reports them in `missing`. Results of earlier
 * versions and of autocannon do not; their figures are assumed to lack as many as possible, about which nothing is known.
 */

/**
 * @param {object} result
 * @param {string} place path of the figure in the result, see metrics/figures.js
 * @param {object} statistics the figure
 * @param {object} [endpoint] one of `result.endpoints`; if given, its latency is used
 * @returns {{ count: number, smallest: number, largest: number, total: number, isPartly: boolean|undefined }} ms; `isPartly`: the result's
 *   histogram of missing values does not include all of them
 */
function missingOf (result, place, statistics, endpoint) {
  if (result.missing === undefined) return nothingKnownOf(possibleMissing(result, place, statistics, endpoint))
  const known = (endpoint ?? result).missing?.[HISTOGRAM_OF.get(place)] ?? NONE_MISSING
  return endpoint === undefined ? known : withUnsent(known, result.accounting?.unsent ?? 0)
}

const nothingKnownOf = (count) => count > 0 ? { ...NONE_MISSING, count } : NONE_MISSING

// Requests that were never sent might have been of any endpoint.
function withUnsent (known, unsent) {
  return unsent === 0 ? known : { ...known, count: known.count + unsent, smallest: 0, isPartly: true }
}

function possibleMissing (result, place, statistics, endpoint) {
  const [group] = place.split('.')
  const { accounting, connectionStats } = result
  const late = lateOf(result)
  switch (group) {
    case 'sendDelay': return accounting?.unsent ?? 0
    case 'connectTime': return countOf(result, CODES.CONNECT_TIMEOUT)
    case 'connectionStats': return Math.min(late, Math.max(0, connectionStats.opened - connectionStats.withReplies || 0))
    case 'sessions': return missingSessions(result, place)
    case 'latency': return missingLatencies(Math.max(0, late - lateInLatency(result)), accounting, endpoint)
    // Each late stream lacks one gap, the one after its last event, regardless of how many it had.
    case 'stream': return place === 'stream.gap' ? late : lacking(result, statistics, late)
    default: return lacking(result, statistics, late)
  }
}

// The number of late requests that have no value.
function lacking ({ accounting }, { totalCount }, late) {
  return accounting === undefined ? late : Math.min(late, Math.max(0, accounting.sent - totalCount))
}

// Requests that timed out, were lost behind one that did, or were in flight at the end. In the closed model the last kind counts only if
// it was older than all answered requests.
function lateOf (result) {
  const { accounting, timeouts = 0, rate, sessions, latency, latencyWithUnfinished } = result
  if (!accounting) return timeouts
  const { timedOut = 0, failed = 0, unfinished = 0 } = accounting
  const isOpen = rate !== undefined || sessions !== undefined
  const isOlder = latencyWithUnfinished?.max > latency?.max
  const lost = timedOut > 0 ? Math.min(failed, countOf(result, CODES.LOST_IN_PIPELINE) + countOf(result, CODES.SESSION_FAILED)) : 0
  return timedOut + lost + (isOpen || isOlder ? unfinished : 0)
}

// In the open model, the latency includes late requests as well as those never sent.
function lateInLatency ({ rate, accounting, latencyBounds }) {
  if (latencyBounds !== undefined) return Math.max(0, latencyBounds.count - (accounting?.unsent ?? 0))
  return rate === undefined ? 0 : (accounting?.timedOut ?? 0) + (accounting?.unfinished ?? 0)
}

function missingLatencies (count, accounting, endpoint) {
  if (endpoint === undefined) return count
  return Math.min(count, endpoint.failed + (accounting?.unfinished ?? 0)) + (accounting?.unsent ?? 0)
}

// A session fails if one of its requests times out, and such a session did not reach its end.
function missingSessions (result, place) {
  const { unfinished = 0, unstarted = 0, failed = 0 } = result.sessions ?? {}
  if (place === 'sessions.failTime') return unfinished + unstarted
  return unfinished + unstarted + Math.min(failed, (result.accounting?.timedOut ?? 0) + countOf(result, CODES.CONNECT_TIMEOUT))
}

function countOf ({ errorCodes }, code) {
  return errorCodes?.[code]?.count ?? 0
}

module.exports = { missingOf }
