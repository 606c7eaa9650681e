'use strict'

const numbers = require('../../words/numbers')
const { inFigures, inTexts, long } = require('../document')
const { clean: shown } = require('../text')
const { processTable, watchedIn } = require('../result-tables')
const { REQUESTS, outcomesOfSeveral } = require('./outcomes')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, lineChart } = require('./time-chart')

/** The machines of a fleet, what happened to each, and its accounting. */
function fleet (runs) {
  const isOne = runs.length === 1
  return runs.filter(({ result }) => result.fleet).flatMap(({ name, result: { fleet: { agents } } }) => [
    { table: agentTable(agents, isOne ? 'Agents' : `Agents of ${name}`) },
    {
      table: {
        isCaptionSeen: true,
        ...outcomesOfSeveral(`Outcomes of the requests of each agent${isOne ? '' : ` of ${name}`}`, 'Agent', REQUESTS, agents.map(({ name, accounting }) => [shown(name), accounting]))
      }
    }
  ])
}

function agentTable (agents, what) {
  const first = Math.min(...agents.map(({ startedAt }) => startedAt).filter(numbers.isNumber))
  const show = (value, inWords) => numbers.isNumber(value) ? inWords(value) : numbers.NOTHING
  return {
    caption: `${what}. Began: milliseconds after the first agent. Clock: milliseconds ahead of the clock of Redis, ± uncertainty`,
    isCaptionSeen: true,
    columns: [...inTexts(['Agent', 'Host', 'Outcome']), ...inFigures(['Part', 'Cores', 'Clock (ms)', 'Began (ms)'])],
    rows: agents.map(({ name, host, outcome, share, cores, clockOffset, uncertainty, startedAt }) => [
      long(shown(name)),
      long(shown(host ?? '')),
      { value: shown(outcome), isBad: outcome === 'lost' },
      show(share, numbers.count),
      numbers.count(cores),
      show(clockOffset, () => `${clockOffset} ± ${uncertainty}`),
      show(startedAt, () => String(Math.round((startedAt - first) * 10) / 10))
    ])
  }
}

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
  const all = samplesOf(result)
  const read = all.filter(({ monitor }) => monitor !== null)
  if (read.length === 0) return []
  const { samples } = atMost(read, MOST_POINTS)
  const chart = (id, title, unit, label, valueOf) => {
    const lines = watched.map(({ pid }, index) => ({ name: `process ${pid}`, color: COLORS[index % COLORS.length], values: samples.map(({ monitor }) => valueOf(monitor.get(pid))) }))
    return lineChart({ id, title, unit, label, samples, all, lines })
  }
  return [
    chart('cpu-over-time', 'CPU over time', '%', 'percent of one core', (entry) => entry?.cpu ?? null),
    chart('memory-over-time', 'Memory over time', 'MiB', 'MiB', (entry) => entry === undefined ? null : Number((entry.memory / MEBIBYTE).toFixed(2)))
  ]
}

module.exports = { fleet, processes }
