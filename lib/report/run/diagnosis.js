'use strict'

const { linearAxis } = require('../axes')
const { hotTable, serverTable, stallTable } = require('../diagnosis')
const numbers = require('../../words/numbers')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, timeChart } = require('./time-chart')

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
    const lines = names.map(([, key]) => samples.map(({ server }) => server[key]))
    const most = lines.flat().reduce((max, value) => Math.max(max, value ?? 0), 0)
    return timeChart({
      id,
      title,
      summary: `${title}: at most ${numbers.count(Math.round(most))} ${unit}.`,
      samples,
      all,
      height: 180,
      y: linearAxis(lines.flat(), label, { unit }),
      series: names.map(([name, , color], index) => ({ name, color, line: 'solid', values: lines[index] }))
    })
  }
  return [
    chart('server-delay', 'Longest delay of the event loop, and garbage collection', 'ms', 'ms', [['event loop', 'delay', 'series-1'], ['garbage collection', 'gc', 'series-4']]),
    chart('server-busy', 'Event loop and CPU', '%', 'percent', [['event loop busy', 'utilization', 'series-1'], ['CPU', 'cpu', 'series-4']])
  ]
}

module.exports = diagnosis
