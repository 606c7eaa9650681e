'use strict'

/**
 * Adds up how often each status was received: by status code, or with gRPC by the name of the status.
 *
 * @param {object[]} results of any version, or of another program
 * @returns {Record<string, number>} in the order of the statuses
 */
function statusesOf (results) {
  const sums = {}
  for (const { grpcStatus, statusCodeStats } of results) {
    const entries = grpcStatus ? Object.entries(grpcStatus) : Object.entries(statusCodeStats ?? {}).map(([status, entry]) => [status, entry?.count])
    for (const [status, count] of entries) if (count > 0) sums[status] = (sums[status] ?? 0) + count
  }
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => a < b ? -1 : 1))
}

module.exports = { statusesOf }
