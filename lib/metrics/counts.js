'use strict'

const { OUTCOMES } = require('../grpc/status')

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']

/**
 * The parts of a result that are counts, by the names they have there.
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
    grpcStatus: grpcStatus(summary.endpoints),
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

/** Those of one endpoint. */
function endpointCounts (endpoint) {
  return {
    completed: endpoint.completed,
    failed: endpoint.failed + endpoint.timedOut,
    statusCodeStats: statusCodeStats([endpoint]),
    grpcStatus: grpcStatus([endpoint])
  }
}

function accounting ({ scheduled, unsent, sent, completed, failed, timedOut, unfinished }) {
  return { scheduled, unsent, sent, completed, failed, timedOut, unfinished }
}

// Messages have no status: with WebSocket it is handshakes that are answered with one.
function statusesOf ({ endpoints, messages }) {
  return messages == null ? endpoints : [{ statuses: messages.handshakes }]
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

/** Calls of gRPC by the name of how they ended; undefined where there are none. */
function grpcStatus (endpoints) {
  if (!endpoints.some(({ outcomes }) => outcomes)) return undefined
  const counts = {}
  for (const { outcomes } of endpoints) {
    for (const [outcome, count] of outcomes ?? []) counts[OUTCOMES[outcome]] = (counts[OUTCOMES[outcome]] ?? 0) + count
  }
  return counts
}

module.exports = { countsOf, endpointCounts, grpcStatus }
