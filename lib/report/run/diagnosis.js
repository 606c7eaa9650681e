'use strict'

const { linearAxis } = require('../axes')
const { hotTable, serverTable, stallTable } = require('../diagnosis')
const { counted, time } = require('../../words/numbers')
const flameGraph = require('./flame')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, alignedChart, lineChart } = require('./time-chart')

const COLORS = ['series-1', 'series-4', 'series-2', 'series-3']

/** Shows what a server did that was diagnosed, for the page of one result. The findings are among the sentences of the page. */
function diagnosis ([{ result }]) {
  if (result.diagnosis === null) return []
  return [
    { table: serverTable(result) },
    flameGraph(result),
    { table: stallTable(result) },
    { table: hotTable(result) }
  ]
}

/** The same over the time of the run, next to what its requests met. */
function serverOverTime (result) {
  if (result.diagnosis === null) return []
  const all = samplesOf(result)
  const served = all.filter(({ server }) => server !== null)
  if (served.length === 0) return []
  const { samples } = atMost(served, MOST_POINTS)
  const chart = (id, title, unit, label, names) => {
    const lines = names.map(([name, key, color]) => ({ name, color, values: samples.map(({ server }) => server[key]) }))
    return lineChart({ id, title, unit, label, samples, all, lines })
  }
  return [
    stallChart(result, all),
    chart('server-delay', "Longest delay of the server's event loop, and garbage collection", 'ms', 'ms', [['event loop', 'delay', 'series-1'], ['garbage collection', 'gc', 'series-4']]),
    chart('server-busy', "The server's event loop and CPU", '%', 'percent', [['event loop busy', 'utilization', 'series-1'], ['CPU', 'cpu', 'series-4']])
  ]
}

// A stall is as wide as it lasted, and as high: both show at once how long requests waited.
function stallChart ({ diagnosis: { stalls, processes } }, samples) {
  if (stalls.length === 0) return null
  const keyOf = ({ pid, thread }) => `${pid} ${thread ?? 0}`
  const threads = processes.filter((each) => stalls.some((stall) => keyOf(stall) === keyOf(each))).slice(0, COLORS.length)
  const own = stalls.filter((stall) => threads.some((each) => keyOf(each) === keyOf(stall)))
  // Charts of a page begin and end at the same times.
  const times = [...new Set([0, samples.at(-1).time, ...own.flatMap(({ at, duration }) => [at, at + duration / 1000])])].sort((a, b) => a - b)
  const series = threads.map((thread, index) => ({
    name: threads.length === 1 ? 'stall' : `process ${thread.pid}${thread.thread > 0 ? `, thread ${thread.thread}` : ''}`,
    color: COLORS[index],
    line: 'solid',
    isFilled: true,
    unit: 'ms',
    values: during(own.filter((stall) => keyOf(stall) === keyOf(thread)), times)
  }))
  const longest = stalls.reduce((most, stall) => stall.duration > most.duration ? stall : most)
  return alignedChart({
    id: 'stalls-over-time',
    title: 'Stalls of the server',
    note: 'Times in which an event loop was blocked for 50 ms or more: requests that arrived then had to wait.',
    summary: `Stalls of the server: ${counted(stalls.length, 'stall')}, the longest ${time(longest.duration)} at ${longest.at} s.`,
    times,
    all: samples,
    height: 140,
    y: linearAxis(own.map(({ duration }) => duration), 'ms', { unit: 'ms' }),
    series
  })
}

// A value applies to the time before it: the length of the stall up to its end, and 0 up to its beginning.
function during (stalls, times) {
  const ends = new Map()
  for (const { at, duration } of stalls) {
    for (const time of times) if (time > at && time <= at + duration / 1000) ends.set(time, Math.max(duration, ends.get(time) ?? 0))
  }
  return times.map((time) => ends.get(time) ?? 0)
}

module.exports = { diagnosis, serverOverTime }
