'use strict'

const Table = require('cli-table3')
const format = require('./format')

const LATENCY_COLUMNS = [
  ['2.5%', 'p2_5'], ['50%', 'p50'], ['97.5%', 'p97_5'], ['99%', 'p99'], ['Avg', 'average'], ['Stdev', 'stddev'], ['Max', 'max']
]
const RATE_COLUMNS = [
  ['1%', 'p1'], ['2.5%', 'p2_5'], ['50%', 'p50'], ['97.5%', 'p97_5'], ['Avg', 'average'], ['Stdev', 'stddev'], ['Min', 'min']
]

// What a table gives up, one step after the other, until it fits. Digits people compare go last, whole columns at the very end.
const LATENCY_STEPS = [
  {},
  { tight: true },
  { unitInLabel: true },
  { unitInLabel: true, tight: true },
  { unitInLabel: true, tight: true, without: ['2.5%'] },
  { unitInLabel: true, tight: true, without: ['2.5%', 'Stdev'] },
  { unitInLabel: true, tight: true, without: ['2.5%', 'Stdev', '97.5%'] }
]
const RATE_STEPS = [
  {},
  { shortSizes: true },
  { tight: true },
  { shortSizes: true, tight: true },
  { shortSizes: true, shortRates: true, tight: true },
  { shortSizes: true, shortRates: true, tight: true, without: ['2.5%'] },
  { shortSizes: true, shortRates: true, tight: true, without: ['2.5%', 'Stdev'] },
  { shortSizes: true, shortRates: true, tight: true, without: ['2.5%', 'Stdev', '97.5%'] }
]

/**
 * The latency table: one row, and in the open model the service time beside it.
 *
 * @param {object} result
 * @param {{ width: number, colors: object }} style `width` in columns, `colors` from picocolors
 * @returns {string} lines, none wider than `width` where that is possible
 */
function latencyTable (result, style) {
  const rows = [['Latency', result.latency ?? {}]]
  if (result.rate && result.serviceTime) rows.push(['Service time', result.serviceTime])
  return fit(LATENCY_STEPS, style, ({ without = [], unitInLabel }) => {
    const columns = LATENCY_COLUMNS.filter(([name]) => !without.includes(name))
    return {
      head: ['Stat', ...columns.map(([name]) => name)],
      rows: rows.map(([label, statistics]) => latencyRow(label, statistics, columns, unitInLabel))
    }
  })
}

function latencyRow (label, statistics, columns, unitInLabel) {
  const unit = format.unitOf(statistics)
  const show = unitInLabel ? format.duration : format.durationWithUnit
  return [
    unitInLabel ? `${label} (${unit.name})` : label,
    ...columns.map(([, key]) => isEmpty(statistics) ? format.NOTHING : show(statistics[key], unit))
  ]
}

// Of no values at all, zeros are recorded; shown as a latency they would look excellent.
function isEmpty (statistics) {
  return statistics.totalCount === 0
}

/** The table of requests and bytes per second. Parameters as for `latencyTable`. */
function ratesTable (result, style) {
  return fit(RATE_STEPS, style, ({ without = [], shortRates, shortSizes }) => {
    const columns = RATE_COLUMNS.filter(([name]) => !without.includes(name))
    const row = (label, statistics, show) => [label, ...columns.map(([, key]) => show(statistics?.[key]))]
    return {
      head: ['Stat', ...columns.map(([name]) => name)],
      rows: [
        row('Req/Sec', result.requests, shortRates ? format.shortRate : format.rate),
        row('Bytes/Sec', result.throughput, shortSizes ? format.shortSize : format.size)
      ]
    }
  })
}

/** How often each status code came; an empty text where none did. Parameters as for `latencyTable`. */
function statusCodeTable (result, { colors }) {
  const rows = Object.entries(result.statusCodeStats ?? {})
    .filter(([code, stats]) => /^\d{3}$/.test(code) && format.isNumber(stats?.count))
    .map(([code, { count }]) => [statusColor(code, colors)(code), String(count)])
  return rows.length === 0 ? '' : draw({ head: ['Code', 'Count'], rows }, {}, colors)
}

function statusColor (code, colors) {
  return { 2: colors.green, 3: colors.cyan, 4: colors.yellow, 5: colors.red }[code[0]] ?? String
}

/**
 * All percentiles of the latency, and in the open model of the service time, in milliseconds whatever the size; an empty
 * text where there are none. Parameters as for `latencyTable`.
 */
function percentileTable (result, { colors }) {
  const latency = result.latency ?? {}
  const serviceTime = result.rate ? result.serviceTime : undefined
  const columns = serviceTime ? [latency, serviceTime] : [latency]
  const percentiles = percentilesOf(latency)
  if (percentiles.length === 0) return ''
  return draw({
    head: ['Percentile', 'Latency (ms)', ...(serviceTime ? ['Service time (ms)'] : [])],
    rows: percentiles.map(([percent, key]) => [
      String(percent),
      ...columns.map((statistics) => isEmpty(statistics) ? format.NOTHING : format.duration(statistics[key]))
    ])
  }, {}, colors)
}

// Read from the names of the fields, so that whatever percentiles a result has are shown.
function percentilesOf (statistics) {
  return Object.keys(statistics).filter((key) => /^p\d+(_\d+)?$/.test(key))
    .map((key) => [Number(key.slice(1).replace('_', '.')), key])
    .sort(([a], [b]) => a - b)
}

/**
 * A table as lines, with the first of some steps of giving up that makes it fit.
 *
 * @param {object[]} steps `tight`: without the space before the right border of a cell. What else is in a step is for
 *   `contentFor`
 * @param {{ width: number, colors: object }} style
 * @param {function(object): { head: string[], rows: string[][] }} contentFor the content of a step
 * @returns {string} lines, none wider than `width` where one of the steps comes to that
 */
function fit (steps, { width, colors }, contentFor) {
  for (const step of steps) {
    const content = contentFor(step)
    const isLast = step === steps.at(-1)
    if (isLast || draw(content, step).indexOf('\n') <= width) return draw(content, step, colors)
  }
}

// cli-table3 colours by what it thinks of process.stdout, which is not where this goes: its own colours are switched off.
function draw ({ head, rows }, { tight }, colors) {
  const paint = (cells, color) => colors ? cells.map(color) : cells
  const table = new Table({
    head: paint(head, colors?.cyan),
    style: { head: [], border: [], 'padding-left': 1, 'padding-right': tight ? 0 : 1 }
  })
  for (const [label, ...cells] of rows) table.push([...paint([label], colors?.bold), ...cells])
  const text = table.toString()
  return colors ? text.replace(/[─│┌┬┐├┼┤└┴┘]+/g, colors.gray) : text
}

module.exports = { fit, latencyTable, percentileTable, ratesTable, statusCodeTable }
