'use strict'

const { beyond } = require('./missing-times')
const { PARTS, ofEach } = require('./parts')

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']

/**
 * The fields of a result that are counts, under their names in the result.
 *
 * @param {object} summary merged, see merge.js
 */
function countsOf (summary) {
  const { counters, most } = summary
  return {
    errors: counters.failed + counters.timedOut + counters.connectionsFailed,
    timeouts: counters.timedOut,
    mismatches: counters.mismatches,
    non2xx: counters.non2xx,
    resets: counters.resets,
    ...statusClasses(summary),
    statusCodeStats: statusCodeStats(statusesOf(summary)),
    accounting: accounting(counters),
    errorCodes: summary.errorCodes.toObject(),
    connectionStats: {
      opened: counters.opened,
      failed: counters.connectionsFailed,
      closedByServer: counters.closedByServer,
      closedByClient: counters.closedByClient,
      peak: counters.peak,
      burst: most.burst
    },
    bytes: { read: counters.bytesRead, written: counters.bytesWritten }
  }
}

/** The counts of one endpoint. */
function endpointCounts (endpoint) {
  return {
    completed: endpoint.completed,
    failed: endpoint.failed + endpoint.timedOut,
    statusCodeStats: statusCodeStats([endpoint]),
    ...Object.assign({}, ...PARTS.map((part) => part.ofEndpoint(endpoint)))
  }
}

function accounting ({ scheduled, unsent, sent, completed, failed, timedOut, unfinished }) {
  return { scheduled, unsent, sent, completed, failed, timedOut, unfinished }
}

/** Responses by status: those of the endpoints, unless a part (such as WebSocket handshakes) provides its own instead. */
function statusesOf (summary) {
  const instead = ofEach(summary, (part, counted) => ({ statuses: part.statuses(counted) })).filter(({ statuses }) => statuses !== null)
  return instead.length > 0 ? instead : summary.endpoints
}

function statusClasses (summary) {
  const { counters } = summary
  const classes = Object.fromEntries(STATUS_CLASSES.map((name) => [name, 0]))
  for (const { statuses } of statusesOf(summary)) {
    for (const [status, count] of statuses) {
      const name = `${Math.floor(status / 100)}xx`
      if (name in classes) classes[name] += count
    }
  }
  classes['1xx'] += counters.informational
  return classes
}

function statusCodeStats (endpoints) {
  const counts = {}
  for (const { statuses } of endpoints) {
    for (const [status, count] of statuses) {
      counts[status] ??= { count: 0 }
      counts[status].count += count
    }
  }
  return counts
}

/**
 * Counts requests whose body may or may not be correct: verifyBody has not decided yet, or there is no body to verify because there was
 * no complete response. Requests in flight at the end of the closed model count by the same rule as for missing times.
 *
 * @param {object} summary merged, see merge.js
 * @param {{ latency: Distribution }} timings see composeTimings
 * @returns {number|undefined} undefined if bodies are not verified
 */
function unverifiedOf ({ open, verifies, counters, endpoints }, { latency }) {
  if (!verifies) return undefined
  const { undecided, failed, timedOut, unfinished, unsent } = counters
  const waiting = open ? unfinished : beyond(endpoints.flatMap(({ waiting }) => waiting), latency).length
  return undecided + failed + timedOut + unsent + waiting
}

module.exports = { countsOf, endpointCounts, statusesOf, unverifiedOf }
