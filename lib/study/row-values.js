'use strict'

/**
 * Returns what the monitored processes of a run used, for its row in a study; nothing without `monitor`.
 *
 * @param {object} result
 * @returns {{ monitor?: object[] }} `{ pid, processes, cpu, memory }`: percent of one core on average, and the maximum in bytes; null in
 *   runs
 *   that were too short to measure it
 */
function monitoredIn ({ monitor }) {
  if (monitor === undefined) return {}
  return {
    monitor: monitor.map(({ pid, processes, cpu, memory }) => ({
      pid,
      processes,
      cpu: cpu.totalCount > 0 ? Math.round(cpu.mean * 10) / 10 : null,
      memory: memory.totalCount > 0 ? memory.max : null
    }))
  }
}

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

module.exports = { monitoredIn, statusesOf }
