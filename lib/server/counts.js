'use strict'

/**
 * The counts of one process. `connections` are those opened so far; `unanswered` are requests that were received but not
 * answered, either not yet or because their connection broke; `bytes` are bytes on the wire, heads included.
 *
 * @typedef {{
 *   requests: number, unanswered: number, connections: number, openConnections: number,
 *   bytes: { read: number, written: number }, statusCodeStats: Object<string, { count: number }>,
 *   messages?: { received: number, sent: number }
 * }} Counts
 */

/**
 * @param {Array<Counts & { pid: number }>} processes
 * @returns {Counts & { processes: Array<Counts & { pid: number }> }} the sum, and its parts
 */
function sumCounts (processes) {
  const sum = {
    requests: 0,
    unanswered: 0,
    connections: 0,
    openConnections: 0,
    bytes: { read: 0, written: 0 },
    statusCodeStats: {}
  }
  for (const counts of processes) {
    sum.requests += counts.requests
    sum.unanswered += counts.unanswered
    sum.connections += counts.connections
    sum.openConnections += counts.openConnections
    sum.bytes.read += counts.bytes.read
    sum.bytes.written += counts.bytes.written
    for (const [status, { count }] of Object.entries(counts.statusCodeStats)) {
      sum.statusCodeStats[status] ??= { count: 0 }
      sum.statusCodeStats[status].count += count
    }
    if (counts.messages === undefined) continue
    sum.messages ??= { received: 0, sent: 0 }
    sum.messages.received += counts.messages.received
    sum.messages.sent += counts.messages.sent
  }
  return { ...sum, processes }
}

module.exports = { sumCounts }
