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

module.exports = { monitoredIn }
