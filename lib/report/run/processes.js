'use strict'

const { processTable, watchedIn } = require('../result-tables')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, lineChart } = require('./time-chart')

const MEBIBYTE = 1024 * 1024
const COLORS = ['series-1', 'series-4', 'series-2', 'series-3']

/** Shows the resource usage of monitored processes, usually the server. */
function processes (runs) {
  const some = runs.map((run) => ({ ...run, watched: watchedIn(run.result) })).filter(({ watched }) => watched.length > 0)
  if (some.length === 0) return []
  const isOne = runs.length === 1
  return [{ table: processTable(runs) }, ...(isOne ? overTime(some[0].result, some[0].watched) : [])]
}

function overTime (result, watched) {
  const all = samplesOf(result).filter(({ monitor }) => monitor !== null)
  if (all.length === 0) return []
  const { samples } = atMost(all, MOST_POINTS)
  const chart = (id, title, unit, label, read) => {
    const lines = watched.map(({ pid }, index) => ({ name: `process ${pid}`, color: COLORS[index % COLORS.length], values: samples.map(({ monitor }) => read(monitor.get(pid))) }))
    return lineChart({ id, title, unit, label, samples, all, lines })
  }
  return [
    chart('cpu-over-time', 'CPU over time', '%', 'percent of one core', (entry) => entry?.cpu ?? null),
    chart('memory-over-time', 'Memory over time', 'MiB', 'MiB', (entry) => entry === undefined ? null : Number((entry.memory / MEBIBYTE).toFixed(2)))
  ]
}

module.exports = processes
