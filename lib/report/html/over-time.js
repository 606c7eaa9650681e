'use strict'

const { chartFigure, durationAxis, linearRange, looks } = require('./chart')
const { html } = require('./markup')
const numbers = require('./numbers')
const { atMost, inSteps, samplesOf } = require('./samples')
const table = require('./table')

const MOST_POINTS = 800
const MOST_ROWS = 60

const PERCENTILES = [
  { name: 'p50', color: 'series-4', line: 'solid' },
  { name: 'p90', color: 'series-1', line: 'solid' },
  { name: 'p99', color: 'series-2', line: 'solid' },
  { name: 'max', color: 'series-3', line: 'dotted' }
]
const ERRORS = { name: 'errors', color: 'bad', line: 'solid', isMarks: true, unit: '' }

/** Throughput and latency of one run from sample to sample, in two charts with one time axis, and one table. */
function overTime ({ result }) {
  const all = samplesOf(result)
  if (all.length === 0) return null
  const { samples } = atMost(all, MOST_POINTS)
  const x = timeAxis(all)
  const times = samples.map(({ time }) => time)
  const errors = samples.map((sample) => sample.errors)
  const hasErrors = errors.some((count) => count > 0)
  const marks = hasErrors ? [ERRORS] : []
  const markData = hasErrors ? [errors] : []
  const latencies = PERCENTILES.map(({ name }) => samples.map((sample) => sample[name]))
  return [
    chartFigure({
      id: 'throughput-over-time',
      title: 'Requests per second over time',
      note: hasErrors ? 'A triangle at the bottom marks a moment with errors.' : undefined,
      summary: throughputInWords(all),
      chart: {
        height: 240,
        group: 'time',
        x,
        y: { scale: 'linear', ...linearRange(samples.map(({ rate }) => rate)), label: 'requests per second' },
        series: [{ name: 'requests per second', color: 'series-1', line: 'solid', isFilled: true }, ...marks],
        data: [times, samples.map(({ rate }) => rate), ...markData]
      }
    }),
    chartFigure({
      id: 'latency-over-time',
      title: 'Latency over time',
      summary: latencyInWords(all),
      tableTitle: 'Throughput and latency over time as a table',
      table: timeTable(all),
      chart: {
        height: 260,
        group: 'time',
        x,
        y: durationAxis(latencies, 'latency'),
        series: [...PERCENTILES, ...marks],
        data: [times, ...latencies, ...markData]
      }
    })
  ]
}

/** The throughput, and the 99th percentile, of several runs from sample to sample. */
function overTimeOverlay (runs) {
  const timelines = runs.map(({ name, result }, index) => ({ name, ...looks(index), all: samplesOf(result) }))
    .filter(({ all }) => all.length > 0)
    .map((run) => ({ ...run, samples: atMost(run.all, MOST_POINTS).samples }))
  if (timelines.length === 0) return null
  const times = [...new Set(timelines.flatMap(({ samples }) => samples.map(({ time }) => time)))].sort((a, b) => a - b)
  const figure = (id, title, field, axisOf, table) => {
    const values = timelines.map(({ samples }) => aligned(samples, field, times))
    return chartFigure({
      id,
      title,
      summary: `${title}, of ${timelines.length} runs.`,
      tableTitle: 'The same as a table',
      table,
      chart: {
        height: 260,
        group: 'time',
        x: timeAxis(timelines.flatMap(({ all }) => all)),
        y: axisOf(values),
        series: timelines.map(({ name, color, line }) => ({ name, color, line, isJoined: true })),
        data: [times, ...values]
      }
    })
  }
  return [
    figure('throughput-over-time', 'Requests per second over time', 'rate',
      (values) => ({ scale: 'linear', ...linearRange(values.flat()), label: 'requests per second' }),
      stepTable(timelines, 'rate', 'Requests per second over time', () => numbers.rate)),
    figure('p99-over-time', '99th percentile of the latency over time', 'p99', (values) => durationAxis(values, 'p99'),
      stepTable(timelines, 'p99', 'The 99th percentile of the latency over time, in milliseconds', numbers.durations))
  ]
}

function stepTable (timelines, field, caption, formatFor) {
  const end = timelines.reduce((max, { all }) => Math.max(max, all.at(-1).time), 0)
  const finest = Math.max(...timelines.map(({ all }) => all.at(-1).time / all.length))
  const width = Math.max(finest, end / MOST_ROWS)
  const columns = timelines.map(({ all }) => inSteps(all, width))
  const steps = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => a - b)
  const values = steps.map((step) => columns.map((column) => column.get(step)?.[field]))
  const show = formatFor(values.flat())
  return table({
    caption,
    head: ['Until second', ...timelines.map(({ name }) => name)],
    kinds: ['number'],
    rows: steps.map((step, row) => [numbers.seconds(step * width), ...values[row].map(show)])
  })
}

function aligned (samples, field, times) {
  const values = new Map(samples.map((sample) => [sample.time, sample[field]]))
  return times.map((time) => values.get(time) ?? null)
}

function timeAxis (samples) {
  const end = samples.reduce((max, { time }) => Math.max(max, time), 0)
  return { scale: 'linear', min: 0, max: end || 1, label: 'seconds from the start', name: 'time', unit: 's' }
}

function throughputInWords (samples) {
  const rates = samples.map(({ rate }) => rate).filter(numbers.isNumber)
  const errors = samples.filter(({ errors }) => errors > 0).length
  const [least, most] = [rates.reduce((a, b) => Math.min(a, b), Infinity), rates.reduce((a, b) => Math.max(a, b), 0)]
  const range = `Requests per second over time: between ${numbers.rate(least)} and ${numbers.rate(most)} in ${numbers.count(samples.length)} samples.`
  return errors > 0 ? `${range} Errors in ${numbers.count(errors)} of them.` : range
}

function latencyInWords (samples) {
  const highest = samples.reduce((a, b) => (b.p99 ?? 0) > (a.p99 ?? 0) ? b : a)
  if (highest.p99 === null) return 'Latency over time: nothing was answered.'
  return `Latency over time: the 99th percentile was highest, ${numbers.durations([highest.p99])(highest.p99)} ms, at ${numbers.seconds(highest.time)} seconds.`
}

function timeTable (all) {
  const { samples, joined } = atMost(all, MOST_ROWS)
  const show = numbers.durations(samples.flatMap(({ p50, max }) => [p50, max]))
  return html`${joined > 1 ? html`<p class="note">Each row joins ${joined} samples: of their latencies the highest.</p>` : ''}${table({
    caption: 'Throughput, latency and errors over time',
    head: ['Until second', 'Requests/s', ...PERCENTILES.map(({ name }) => `${name} ms`), 'Errors', 'Connections'],
    kinds: ['number'],
    rows: samples.map((sample) => [
      numbers.seconds(sample.time),
      numbers.rate(sample.rate),
      ...PERCENTILES.map(({ name }) => show(sample[name])),
      { content: numbers.count(sample.errors), className: sample.errors > 0 ? 'fail' : '' },
      numbers.count(sample.connections)
    ])
  })}`
}

module.exports = { overTime, overTimeOverlay }
