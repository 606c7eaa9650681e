'use strict'

const { hotTable, serverTable, stallTable } = require('../diagnosis')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, lineChart } = require('./time-chart')

/** Shows what a server did that was diagnosed, for the page of one result. The findings are among the sentences of the page. */
function diagnosis ([{ result }]) {
  if (result.diagnosis === null) return []
  return [
    { table: serverTable(result) },
    ...overTime(result),
    { table: stallTable(result) },
    { table: hotTable(result) }
  ]
}

function overTime (result) {
  const all = samplesOf(result).filter(({ server }) => server !== null)
  if (all.length === 0) return []
  const { samples } = atMost(all, MOST_POINTS)
  const chart = (id, title, unit, label, names) => {
    const lines = names.map(([name, key, color]) => ({ name, color, values: samples.map(({ server }) => server[key]) }))
    return lineChart({ id, title, unit, label, samples, all, lines })
  }
  return [
    chart('server-delay', 'Longest delay of the event loop, and garbage collection', 'ms', 'ms', [['event loop', 'delay', 'series-1'], ['garbage collection', 'gc', 'series-4']]),
    chart('server-busy', 'Event loop and CPU', '%', 'percent', [['event loop busy', 'utilization', 'series-1'], ['CPU', 'cpu', 'series-4']])
  ]
}

module.exports = diagnosis
