'use strict'

const { durationAxis, linearAxis, looks } = require('../axes')
const { inFigures } = require('../document')
const { headOf, nounOf } = require('../../words/noun')
const { levelsOf, withLevels } = require('./thresholds')
const numbers = require('../../words/numbers')
const heatMap = require('./heat-map')
const { atMost, inSteps, samplesOf } = require('./samples')
const { MOST_POINTS, alignedChart, fromTheStart, timeChart, timesOf } = require('./time-chart')

const MOST_ROWS = 60

const PERCENTILES = [
  { name: 'p50', color: 'series-4', line: 'solid' },
  { name: 'p90', color: 'series-1', line: 'solid' },
  { name: 'p99', color: 'series-2', line: 'solid' },
  { name: 'max', color: 'series-3', line: 'dotted' }
]
const ERRORS = { name: 'errors', color: 'bad', line: 'solid', isMarks: true, unit: '' }
const STATUSES = [
  { name: '1xx', color: 'series-6', line: 'dotted' },
  { name: '3xx', color: 'series-1', line: 'dashed' },
  { name: '4xx', color: 'series-2', line: 'solid' },
  { name: '5xx', color: 'series-3', line: 'solid' }
]

/** Shows throughput and latency of one run over time, in two charts with a common time axis, and one table. */
function overTime (result) {
  const all = samplesOf(result)
  if (all.length === 0) return []
  const { samples } = atMost(all, MOST_POINTS)
  const errors = samples.map((sample) => sample.errors)
  const hasErrors = errors.some((count) => count > 0)
  const marks = hasErrors ? [{ ...ERRORS, values: errors }] : []
  const latencies = PERCENTILES.map((look) => ({ ...look, values: samples.map((sample) => sample[look.name]) }))
  const rates = samples.map(({ rate }) => rate)
  const noun = nounOf(result)
  const levels = levelsOf(result)
  return [
    timeChart({
      id: 'throughput-over-time',
      title: rateTitle(noun),
      note: `${hasErrors ? 'A triangle at the bottom marks a sample with errors. ' : ''}Drag to zoom in; double-click to zoom out.`,
      summary: throughputInWords(all, noun),
      samples,
      all,
      height: 240,
      y: linearAxis(rates, `${noun}s per second`),
      series: [{ name: `${noun}s per second`, color: 'series-1', line: 'solid', isFilled: true, values: rates }, ...marks]
    }),
    timeChart({
      id: 'latency-over-time',
      title: 'Latency over time',
      summary: latencyInWords(all),
      tableTitle: 'Throughput and latency over time as a table',
      table: timeTable(all, noun),
      samples,
      all,
      height: 260,
      y: durationAxis(withLevels(latencies.map(({ values }) => fromTheStart(values)), levels), 'latency'),
      levels,
      series: [...latencies, ...marks],
      edges: withEdges
    }),
    heatMap(result, all, marks),
    troubleOverTime(samples, all),
    connectionsOverTime(samples, all)
  ]
}

// After samples without responses, a line starts where the gap ends.
function withEdges ([times, first, ...others]) {
  const begins = (index) => first[index] === null && index + 1 < first.length && first[index + 1] !== null
  const indexes = times.flatMap((_, index) => begins(index) ? [[index, index], [index, index + 1]] : [[index, index]])
  return [
    indexes.map(([index]) => times[index]),
    ...[first, ...others].map((values) => indexes.map(([index, from]) => index === from ? values[index] : first === values || values[index] === null ? values[from] : 0))
  ]
}

/**
 * Shows errors and non-2xx responses per second in a chart of their own, since they would be too small in the chart of
 * all requests.
 */
function troubleOverTime (samples, all) {
  const perSecond = (counts) => samples.map((sample, index) => sample.seconds > 0 ? counts[index] / sample.seconds : null)
  const kinds = [
    { name: 'errors', color: 'bad', line: 'solid', counts: samples.map(({ errors }) => errors ?? 0) },
    ...STATUSES.map((status) => ({ ...status, counts: samples.map(({ statuses }) => statuses[status.name] ?? 0) }))
  ].filter(({ counts }) => counts.some((count) => count > 0))
  if (kinds.length === 0) return null
  const series = kinds.map(({ counts, ...look }) => ({ ...look, values: perSecond(counts) }))
  return timeChart({
    id: 'trouble-over-time',
    title: 'Errors and non-2xx responses over time',
    summary: `Errors and non-2xx responses over time: ${kinds.map(({ name, counts }) => `${numbers.count(counts.reduce((a, b) => a + b, 0))} ${name}`).join(', ')} in total.`,
    samples,
    all,
    height: 200,
    y: linearAxis(series.flatMap(({ values }) => values), 'per second'),
    series
  })
}

/** Shows the number of open connections at the end of each sample. */
function connectionsOverTime (samples, all) {
  const values = samples.map(({ connections }) => connections)
  if (!values.some(numbers.isNumber)) return null
  const most = values.reduce((max, value) => Math.max(max, value ?? 0), 0)
  return timeChart({
    id: 'connections-over-time',
    title: 'Connections over time',
    summary: `Connections over time: at most ${numbers.count(most)} open at the end of a sample.`,
    samples,
    all,
    height: 160,
    y: linearAxis(values, 'connections', { isWhole: true }),
    series: [{ name: 'connections', color: 'series-5', line: 'solid', values }]
  })
}

/** Overlays the throughput and the 99th percentile of several runs over time. */
function overTimeOverlay (runs) {
  const timelines = runs.map(({ name, result }, index) => ({ name, ...looks(index), all: samplesOf(result) }))
    .filter(({ all }) => all.length > 0)
    .map((run) => ({ ...run, samples: atMost(run.all, MOST_POINTS).samples }))
  if (timelines.length === 0) return []
  const noun = nounOf(...runs.map(({ result }) => result))
  const times = [...new Set(timelines.flatMap(({ samples }) => timesOf(samples)))].sort((a, b) => a - b)
  const figure = (id, title, field, axisOf, table) => {
    const values = timelines.map(({ samples }) => aligned(samples, field, times))
    return alignedChart({
      id,
      title,
      summary: `${title}, of ${timelines.length} runs.`,
      tableTitle: 'The same as a table',
      table,
      times,
      all: timelines.flatMap(({ all }) => all),
      height: 260,
      y: axisOf(values),
      series: timelines.map(({ name, color, line }, index) => ({ name, color, line, isJoined: true, values: values[index] }))
    })
  }
  return [
    figure('throughput-over-time', rateTitle(noun), 'rate',
      (values) => linearAxis(values.flat(), `${noun}s per second`),
      stepTable(timelines, 'rate', rateTitle(noun), () => numbers.rate)),
    figure('p99-over-time', '99th percentile of the latency over time', 'p99', (values) => durationAxis(values, 'p99'),
      stepTable(timelines, 'p99', 'The 99th percentile of the latency over time, in milliseconds', numbers.durations))
  ]
}

function stepTable (timelines, field, caption, formatFor) {
  const end = timelines.reduce((max, { all }) => Math.max(max, all.at(-1).time), 0)
  // With narrower steps, the run with the longest samples would have none in some of them.
  const width = Math.max(...timelines.map(({ all }) => usualSeconds(all)), end / MOST_ROWS)
  const columns = timelines.map(({ all }) => inSteps(all, width))
  const steps = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => a - b)
  const values = steps.map((step) => columns.map((column) => column.get(step)?.[field]))
  const show = formatFor(values.flat())
  return {
    caption,
    isStacked: false,
    columns: ['Until (s)', ...timelines.map(({ name }) => name)].map((name) => ({ name, of: 'figure', className: '' })),
    rows: steps.map((step, row) => [numbers.tenths(step * width), ...values[row].map(show)])
  }
}

// The median: the last sample of a run is often shorter than the others.
function usualSeconds (samples) {
  const lengths = samples.map(({ seconds }) => seconds).sort((a, b) => a - b)
  return lengths[Math.floor(lengths.length / 2)]
}

function aligned (samples, field, times) {
  const all = fromTheStart(samples.map((sample) => sample[field]))
  const values = new Map(timesOf(samples).map((time, index) => [time, all[index]]))
  return times.map((time) => values.get(time) ?? null)
}

const rateTitle = (noun) => `${headOf(noun)} per second over time`

function throughputInWords (samples, noun) {
  const rates = samples.map(({ rate }) => rate).filter(numbers.isNumber)
  const errors = samples.filter(({ errors }) => errors > 0).length
  const [least, most] = [rates.reduce((a, b) => Math.min(a, b), Infinity), rates.reduce((a, b) => Math.max(a, b), 0)]
  const range = `${rateTitle(noun)}: between ${numbers.rate(least)} and ${numbers.rate(most)} in ${numbers.count(samples.length)} samples.`
  return errors > 0 ? `${range} Errors in ${numbers.count(errors)} of them.` : range
}

function latencyInWords (samples) {
  const highest = samples.reduce((a, b) => (b.p99 ?? 0) > (a.p99 ?? 0) ? b : a)
  if (highest.p99 === null) return 'Latency over time: no responses.'
  return `Latency over time: the 99th percentile peaked at ${numbers.time(highest.p99)}, after ${numbers.tenths(highest.time)} seconds.`
}

function timeTable (all, noun) {
  const { samples, joined } = atMost(all, MOST_ROWS)
  const show = numbers.durations(samples.flatMap(({ p50, max }) => [p50, max]))
  const statuses = STATUSES.map(({ name }) => name).filter((name) => all.some((sample) => sample.statuses[name] > 0))
  return {
    note: joined > 1 ? `Each row combines ${joined} samples and shows their highest latencies.` : '',
    caption: 'Throughput, latency and errors over time',
    isStacked: false,
    columns: inFigures(['Until (s)', `${headOf(noun)}/s`, ...PERCENTILES.map(({ name }) => `${name} ms`), 'Errors', ...statuses, 'Connections']),
    rows: samples.map((sample) => [
      numbers.tenths(sample.time),
      numbers.rate(sample.rate),
      ...PERCENTILES.map(({ name }) => show(sample[name])),
      { value: numbers.count(sample.errors), isBad: sample.errors > 0 },
      ...statuses.map((name) => numbers.count(sample.statuses[name] ?? 0)),
      numbers.count(sample.connections)
    ])
  }
}

module.exports = { overTime, overTimeOverlay }
