'use strict'

const { boundsOf, copyBoundsOf } = require('../../thresholds')
const { errorsBy, limitedBy } = require('../limited-by')

// So busy, a thread that reads copies may have left them lying as long as the server.
const BUSY_UTILIZATION = 0.95
const OWN_TIMES = ['p50', 'p99', 'mean', 'max']

/**
 * What one step of a staircase showed.
 *
 * @param {number} rate messages per second
 * @param {number} connections
 * @param {object} result of its run
 * @param {object|null} idle the result of this level in which the server answered most quickly so far
 * @returns {object} times in ms, of the sender's own copy, null where none came; `outgoing` messages that the server has to send
 *   per second; `sent` messages and `received` copies; `lost` copies that did not come, `drops` connections that were lost, or
 *   could not be opened; `lastCopyP50` and `lastCopyP99`: until everybody has a message; `atLeast` names those times that are only
 *   lower bounds; `saturated` and `reasons`: the load generator could do no more
 */
function pointOf (rate, connections, result, idle) {
  const { accounting, broadcast, connectionStats, latency } = result
  const reasons = reasonsOfGenerator(result, idle)
  const { completed } = accounting
  return {
    rate,
    sent: accounting.sent,
    outgoing: round(rate * connections),
    received: broadcast.received,
    ...Object.fromEntries(OWN_TIMES.map((name) => [name, completed === 0 ? null : latency[name]])),
    lost: broadcast.expected - broadcast.received,
    drops: connectionStats.closedByServer + connectionStats.failed,
    saturated: reasons.length > 0,
    ratio: broadcast.ratio,
    lastCopyP50: lastCopy(broadcast, 'p50'),
    lastCopyP99: lastCopy(broadcast, 'p99'),
    atLeast: completed === 0 ? [] : lowerBounds(result),
    reasons
  }
}

function lastCopy ({ lastCopy }, name) {
  return lastCopy.totalCount === 0 ? null : lastCopy[name]
}

function lowerBounds (result) {
  const bounds = boundsOf(result, 'latency')
  const own = OWN_TIMES.filter((name) => {
    const { atLeast, atMost } = bounds.range(name)
    return atMost > atLeast
  })
  return [...own, ...(copyBoundsOf(result) === null ? [] : ['lastCopyP50', 'lastCopyP99'])]
}

// A thread that has no time left reads late what came in time, however long the server seems to take.
function reasonsOfGenerator (result, idle) {
  const { eventLoop: { utilization } } = result.generator
  if (utilization >= BUSY_UTILIZATION) {
    return [`the event loop of the load generator was busy ${Math.round(utilization * 100)} % of the time, so that copies may have waited for it and not for the server`]
  }
  const late = limitedBy(result, idle)
  if (late.limitedBy !== 'server') return late.reasons
  const failed = errorsBy(result)
  return failed.limitedBy === 'server' ? [] : failed.reasons
}

/**
 * Why a point is beyond what the server can do.
 *
 * @param {object} point
 * @param {object} result of the same run
 * @param {number} limit ms
 * @returns {?'connection lost'|'undelivered'|'latency'} null where it is a good one
 */
function whyBad (point, { accounting, latency }, limit) {
  const { timedOut, failed, unfinished, unsent } = accounting
  if (point.drops > 0) return 'connection lost'
  if (point.lost > 0 || timedOut + failed + unfinished + unsent > 0) return 'undelivered'
  return latency.p50 > limit ? 'latency' : null
}

function round (value) {
  return Math.round(value * 1000) / 1000
}

module.exports = { pointOf, whyBad }
