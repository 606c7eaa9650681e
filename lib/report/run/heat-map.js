'use strict'

const numbers = require('../../words/numbers')
const { MOST_POINTS, timeChart } = require('./time-chart')
const { atMost } = require('./samples')

const MOST_COLUMNS = 240
// Eight bounds to a power of ten.
const STEP = 10 ** (1 / 8)
const LINES = [
  { name: 'p50', color: 'series-4', line: 'solid' },
  { name: 'p99', color: 'series-2', line: 'solid' }
]

/**
 * Draws how latencies are distributed over the time of a run.
 *
 * @param {object} result from `readResult`
 * @param {object[]} all its samples, from `samplesOf`
 * @param {object[]} marks series of errors, for the samples that `overTime` draws
 * @returns {?object} part of a document; null if the result has no heat map
 */
function heatMap ({ heat }, all, marks) {
  if (heat === null || heat === undefined || !isWhole(heat)) return null
  const { bounds } = heat
  const ends = all.map(({ time }) => time)
  const { columns, hasDrain } = columnsOf(heat, ends.at(-1))
  const { samples } = atMost(all, MOST_POINTS)
  // A logarithmic axis has no place for 0.
  const drawn = bounds[0] > 0 ? bounds : [bounds[1] / STEP, ...bounds.slice(1)]
  const part = timeChart({
    id: 'latency-heat-map',
    title: 'Distribution of latency over time',
    note: `The stronger the color, the larger the share of the latencies of that time.${hasDrain ? ' The last column includes those of the drain.' : ''}`,
    summary: inWords(heat),
    samples,
    all,
    height: 260,
    y: { scale: 'log', min: drawn[0], max: drawn.at(-1), label: 'latency (ms, logarithmic)', unit: 'ms' },
    series: [...LINES.map((look) => ({ ...look, values: samples.map((sample) => sample[look.name] > 0 ? sample[look.name] : null) })), ...marks]
  })
  part.chart.chart.heat = { bounds: drawn.map((bound) => Number(bound.toPrecision(6))), columns }
  return part
}

function isWhole ({ times, bounds, counts }) {
  return times.length > 0 && bounds.length > 1 && counts.length === times.length && counts.every((row) => row.length === bounds.length - 1)
}

// Neighbouring rows are joined if there are many. What came after the last sample belongs to the last column, since all charts end there.
function columnsOf ({ times, counts }, end) {
  const joined = Math.ceil(times.length / MOST_COLUMNS)
  const columns = []
  times.forEach((time, index) => {
    const isOpen = columns.length > 0 && (time > end || index % joined !== 0)
    if (!isOpen) columns.push({ from: columns.at(-1)?.to ?? 0, to: 0, counts: counts[index].map(() => 0) })
    const column = columns.at(-1)
    column.to = Math.max(column.to, Math.min(time, end))
    counts[index].forEach((count, bound) => { column.counts[bound] += count })
  })
  return { columns: columns.map(({ from, to, counts }) => ({ from, to, shares: sharesOf(counts) })), hasDrain: times.at(-1) > end }
}

function sharesOf (counts) {
  const all = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => all === 0 ? 0 : Number((count / all).toPrecision(3)))
}

function inWords ({ bounds, counts }) {
  const totals = bounds.slice(1).map((_, index) => counts.reduce((sum, row) => sum + row[index], 0))
  const most = totals.indexOf(Math.max(...totals))
  const all = totals.reduce((sum, count) => sum + count, 0)
  return `Latencies between ${numbers.time(bounds[0])} and ${numbers.time(bounds.at(-1))}; most of them, ${numbers.percent(totals[most] / all)}, between ${numbers.time(bounds[most])} and ${numbers.time(bounds[most + 1])}.`
}

module.exports = heatMap
