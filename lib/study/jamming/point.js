'use strict'

const { thousandth } = require('../../base/rounding')
const { copyBoundsOf, isLowerBound } = require('../../thresholds')
const { percent } = require('../../words/numbers')
const { errorsBy, limitedBy } = require('../limited-by')
const { monitoredIn } = require('../row-values')

// If the reading thread was this busy, it may have delayed copies as much as the server.
const BUSY_UTILIZATION = 0.95
const OWN_TIMES = ['p50', 'p99', 'mean', 'max']
// Times are still growing at the end of a run if its third and its fourth quarter each add at least this share of all growth, which a
// stall in one of them does not, and all growth is at least this share of the limit.
const SHARE_OF_QUARTER = 0.2
const SHARE_OF_LIMIT = 0.1

/**
 * Creates the point of one step.
 *
 * @param {number} rate messages per second
 * @param {number} connections
 * @param {object} result of its run
 * @param {object|null} idle the result of this level with the fastest responses so far
 * @returns {object} times in ms until the sender received its own copy, null if none arrived; `outgoing` messages that the server
 *   has to send per second; `sent` messages and `received` copies; `lost` copies that didn't arrive, `drops` connections that were
 *   lost or couldn't be opened; `lastCopyP50` and `lastCopyP99`: until everyone has a message; `atLeast`: the names of those times
 *   that are only lower bounds; `saturated` and `reasons`: the load generator was at its limit
 */
function pointOf (rate, connections, result, idle) {
  const { accounting, broadcast, connectionStats, latency } = result
  const reasons = reasonsOfGenerator(result, idle)
  const { completed } = accounting
  return {
    rate,
    sent: accounting.sent,
    outgoing: thousandth(rate * connections),
    received: broadcast.received,
    ...Object.fromEntries(OWN_TIMES.map((name) => [name, completed === 0 ? null : latency[name]])),
    lost: broadcast.expected - broadcast.received,
    drops: connectionStats.closedByServer + connectionStats.failed,
    saturated: reasons.length > 0,
    ratio: broadcast.ratio,
    lastCopyP50: lastCopy(broadcast, 'p50'),
    lastCopyP99: lastCopy(broadcast, 'p99'),
    atLeast: completed === 0 ? [] : lowerBounds(result),
    reasons,
    ...monitoredIn(result)
  }
}

function lastCopy ({ lastCopy }, name) {
  return lastCopy.totalCount === 0 ? null : lastCopy[name]
}

function lowerBounds (result) {
  const own = OWN_TIMES.filter((name) => isLowerBound(result, name))
  return [...own, ...(copyBoundsOf(result) === null ? [] : ['lastCopyP50', 'lastCopyP99'])]
}

// If the thread was busy all the time, it read late what had arrived in time, so the server may have been faster than it seems.
function reasonsOfGenerator (result, idle) {
  const { eventLoop: { utilization } } = result.generator
  if (utilization >= BUSY_UTILIZATION) {
    return [`the event loop of the load generator was busy ${percent(utilization)} of the time, so copies may have waited for it instead of the server`]
  }
  const late = limitedBy(result, idle)
  if (late.limitedBy !== 'server') return late.reasons
  const failed = errorsBy(result)
  return failed.limitedBy === 'server' ? [] : failed.reasons
}

/**
 * Determines why a point exceeds what the server can do.
 *
 * @param {object} point
 * @param {object} result of the same run
 * @param {number} limit ms
 * @returns {?'connection lost'|'undelivered'|'latency'|'growing latency'} null if the point is good
 */
function whyBad (point, result, limit) {
  const { timedOut, failed, unfinished, unsent } = result.accounting
  if (point.drops > 0) return 'connection lost'
  if (point.lost > 0 || timedOut + failed + unfinished + unsent > 0) return 'undelivered'
  if (result.latency.p50 > limit) return 'latency'
  return isGrowing(result, limit) ? 'growing latency' : null
}

/**
 * Whether the time to the own copy was still growing when a run ended: more messages arrived than the server could send, so that any
 * limit is exceeded if the run is long enough.
 *
 * @param {{ timeline: object[], duration: number }} result
 * @param {number} limit ms
 */
function isGrowing ({ timeline, duration }, limit) {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((quarter) => typicalBetween(timeline, duration * quarter / 4, duration * (quarter + 1) / 4))
  const growth = fourth - Math.min(first, second)
  return growth >= SHARE_OF_LIMIT * limit && third - second >= SHARE_OF_QUARTER * growth && fourth - third >= SHARE_OF_QUARTER * growth
}

// The median of the medians of the samples in a part of a run; NaN if nothing arrived then.
function typicalBetween (timeline, from, to) {
  const medians = timeline.filter(({ time, requests }) => time > from && time <= to && requests > 0).map(({ p50 }) => p50).sort((a, b) => a - b)
  return medians.length === 0 ? NaN : medians[Math.floor(medians.length / 2)]
}

// A server that takes more than twice as long as usual hasn't recovered.
const TWICE = 2

/**
 * Returns how long it took after a jam until times were back to normal, and stayed so: at most twice the median of the same rate before
 * the jam, or its 99th percentile if that is higher.
 *
 * @param {object[]} timeline of a run that begins with the jam
 * @param {number} jammed length of the jam in seconds
 * @param {{ p50: number, p99: number }} usual values at the rate after the jam, ms
 * @returns {?number} seconds to the end of the first normal sample; null if the run ended before that
 */
function recoveredAfter (timeline, jammed, { p50, p99 }) {
  const normal = Math.max(TWICE * p50, p99)
  // Samples without responses say nothing.
  const after = timeline.filter(({ time, requests }) => time > jammed && requests > 0)
  const first = after.findLastIndex((sample) => sample.p50 > normal) + 1
  return first < after.length ? thousandth(after[first].time - jammed) : null
}

module.exports = { isGrowing, pointOf, whyBad, recoveredAfter }
