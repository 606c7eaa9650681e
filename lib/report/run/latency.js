'use strict'

const { isDeviationUnknown, isMarked } = require('../../thresholds/marked')
const { durationAxis, looks } = require('../axes')
const { headOf, nounOf } = require('../../words/noun')
const histogramFigure = require('./histogram')
const { levelsOf, withLevels } = require('./thresholds')
const numbers = require('../../words/numbers')
const { distributionOf, percentileCurves, percentilesFor, positionOf } = require('./percentile-curve')

const noteOf = (noun) => `The percentile axis is that of HdrHistogram: at each power of ten, a tenth as many ${noun}s remain as at the one before. ` +
  `At each point, that percentage of the ${noun}s took no longer.`

// In the closed model, a request is due when it is sent, so the service time equals the latency.
function kindsOf (result) {
  return [
    { name: result.rate ? 'Response time' : 'Latency', field: 'latency', color: 'series-1', line: 'solid' },
    ...(result.rate ? [{ name: 'Service time', field: 'serviceTime', color: 'series-2', line: 'dashed' }] : []),
    { name: 'With unfinished', field: 'latencyWithUnfinished', color: 'series-3', line: 'solid', isHalo: true }
  ]
}

/**
 * Shows the latency of one run: response time, service time, and the response time including requests without a response.
 */
function latencyDistribution (result) {
  const series = kindsOf(result).map((kind) => ({ ...kind, distribution: distributionOf(result, kind.field), statistics: result[kind.field], ...marksOf(result, kind.field) }))
  const known = series.filter((one, index) => one.distribution !== null && !(one.isHalo && isSame(one.statistics, series[0].statistics)))
  return [
    distributionFigure(known, nounOf(result), levelsOf(result)),
    histogramFigure(known.filter(({ isHalo }) => !isHalo), nounOf(result))
  ]
}

// With few unfinished requests, or none, the times including them differ too little to be seen in a chart.
function isSame (one, other) {
  return SEEN.every((name) => one?.[name] === other?.[name] || Math.abs(one?.[name] - other?.[name]) <= LEAST_SEEN * other?.[name])
}

const SEEN = ['p50', 'p75', 'p90', 'p99', 'p99_9', 'p99_99', 'max']
const LEAST_SEEN = 0.01

/** Overlays the latency of several runs. */
function latencyOverlay (runs) {
  const series = runs.map(({ name, result }, index) => {
    return { name, ...looks(index), distribution: distributionOf(result, 'latency'), statistics: result.latency, ...marksOf(result, 'latency') }
  })
  const known = series.filter(({ distribution }) => distribution !== null)
  const noun = nounOf(...runs.map(({ result }) => result))
  return [distributionFigure(known, noun), histogramFigure(known, noun)]
}

function distributionFigure (series, noun, levels = []) {
  if (series.length === 0) return null
  const { positions, values } = percentileCurves(series.map(({ distribution }) => distribution))
  return {
    chart: {
      id: 'latency-distribution',
      title: 'Latency by percentile',
      note: noteOf(noun),
      summary: `Latency by percentile. ${series.map(inWords).join(' ')}`,
      tableTitle: 'The same as a table',
      table: distributionTable(series, noun),
      chart: {
        height: 340,
        x: { scale: 'percentile', min: 1, max: positions.at(-1), label: 'percentile (%)', name: 'percentile' },
        y: durationAxis(withLevels(values, levels), 'latency'),
        levels,
        series: series.map(({ name, color, line, isHalo }) => ({ name, color, line, isHalo })),
        data: [positions.map((position) => Number(position.toPrecision(9))), ...values]
      }
    }
  }
}

// Returns functions that tell whether a value is only a lower bound, and whether the standard deviation is not even that.
function marksOf (result, field) {
  return { isMarked: (name, value) => isMarked(result, name, value, field), isSpreadUnknown: () => isDeviationUnknown(result, result[field].stddev, field) }
}

function inWords ({ name, statistics, isMarked }) {
  const time = (key) => numbers.atLeast(numbers.time(statistics[key]), isMarked(key))
  return `${name}: median ${time('p50')}, 99th percentile ${time('p99')}, longest ${time('max')}.`
}

function distributionTable (series, noun) {
  const largest = Math.max(...series.map(({ distribution }) => distribution.count))
  const percentiles = percentilesFor(largest)
  const cells = percentiles.map((percentile) => series.map((one) => valueAt(one, percentile)))
  const show = numbers.durations(cells.flat())
  const also = (name, key) => [name, ...series.map(({ statistics, isMarked }) => numbers.atLeast(show(statistics[key]), isMarked(key)))]
  return {
    caption: 'Latency by percentile, in milliseconds',
    isStacked: false,
    columns: [{ name: 'Percentile' }, ...series.map(({ name }) => ({ name: `${name}, ms`, of: 'figure', className: '' }))],
    rows: [
      ...percentiles.map((percentile, row) => [percentile === 0 ? 'Shortest' : `${percentile}%`, ...cells[row].map((value, column) => shown(series[column], percentile, value, show))]),
      also('Longest', 'max'),
      also('Average', 'average'),
      ['Standard deviation', ...series.map((one) => one.isSpreadUnknown() ? numbers.NOTHING : numbers.atLeast(show(one.statistics.stddev), one.isMarked('stddev')))],
      [headOf(noun), ...series.map(({ statistics, distribution }) => numbers.count(statistics.totalCount ?? distribution.count))]
    ]
  }
}

function shown ({ isMarked }, percentile, value, show) {
  return numbers.atLeast(show(value), isMarked(percentile === 0 ? 'min' : nameOf(percentile), value))
}

const nameOf = (percentile) => 'p' + String(percentile).replace('.', '_')

function valueAt ({ statistics, distribution }, percentile) {
  if (percentile === 0) return statistics.min
  return statistics[nameOf(percentile)] ?? distribution.valueAt(positionOf(percentile))
}

module.exports = { latencyDistribution, latencyOverlay }
