'use strict'

const { isMarked, markedBounds } = require('../thresholds/marked')
const format = require('../words/numbers')
const { shortNoun } = require('../words/noun')
const { draw, fit, fitted } = require('./table-text')
const { clean } = require('./text')

// Loaded on demand: most results have no bounds.
const ofBounds = () => require('../thresholds/certainty')

// Columns without `isExtra` are those of autocannon, and the only ones in output for programs.
const LATENCY_COLUMNS = [
  { name: '2.5%', key: 'p2_5' },
  { name: '50%', key: 'p50' },
  { name: '90%', key: 'p90', isExtra: true },
  { name: '97.5%', key: 'p97_5' },
  { name: '99%', key: 'p99' },
  { name: '99.9%', key: 'p99_9', isExtra: true },
  { name: 'Avg', key: 'average' },
  { name: 'Stdev', key: 'stddev' },
  { name: 'Max', key: 'max' }
]
const WIDE = 100
// Commonly used percentiles that autocannon's table lacks.
const FURTHER_PERCENTILES = [['p90', 'p90'], ['p95', 'p95'], ['p99.9', 'p99_9']]
const RATE_COLUMNS = [
  ['1%', 'p1'], ['2.5%', 'p2_5'], ['50%', 'p50'], ['97.5%', 'p97_5'], ['Avg', 'average'], ['Stdev', 'stddev'], ['Min', 'min']
]

// Steps by which a table is made narrower until it fits. Digits that people compare are dropped late, and whole columns
// last.
const LATENCY_STEPS = [
  {},
  { tight: true },
  { unitInLabel: true },
  { unitInLabel: true, tight: true },
  { tight: true, without: ['2.5%'] },
  { unitInLabel: true, tight: true, without: ['2.5%'] },
  { unitInLabel: true, tight: true, without: ['2.5%', 'Stdev'] },
  { unitInLabel: true, tight: true, without: ['2.5%', 'Stdev', '97.5%'] }
]
// Programs search for the names of rows and columns and for the unit after each number, so those must stay.
const LATENCY_STEPS_FOR_PROGRAMS = LATENCY_STEPS.slice(0, 2)
const WIDE_LATENCY_STEPS = LATENCY_STEPS.slice(0, 4).map((step) => ({ ...step, hasExtras: true }))
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
 * Returns the latency table: a row for the latency; in the open model, one for the service time; with sessions, one for
 * their durations; with streams, rows for the time to the first event and the gap between events. Except in output for
 * programs, percentiles for which the table has no room follow below, in words.
 *
 * On a terminal with at least 100 columns, 90% and 99.9% are included; each row has one unit if that is readable, else
 * each cell has its own. Programs get autocannon's columns, in milliseconds.
 *
 * @param {object} result
 * @param {object} style
 * @param {number} style.width in columns
 * @param {object} style.colors from picocolors
 * @param {boolean} [style.isForPrograms] whether the output is not a terminal
 * @returns {string} lines; those of the table are not wider than `width` if possible. Empty if there is no latency at all
 */
function latencyTable (result, style) {
  const rows = latencyRows(result, style)
  if (rows.length === 0) return ''
  const { text, step } = fitted(latencySteps(style), style, (step) => latencyContent(rows, step))
  return step.hasExtras || style.isForPrograms ? text : [text, ...rows.flatMap(furtherLines)].join('\n')
}

/**
 * Returns, for programs, the percentiles without a column in the latency table, in words, to be printed separately from
 * it.
 *
 * @param {object} result
 * @param {object} style as for `latencyTable`
 * @returns {string[]} a line for each row of the table that has further percentiles
 */
function furtherPercentiles (result, style) {
  return latencyRows(result, style).flatMap(furtherLines)
}

function latencyRows (result, style) {
  const of = (place) => markedBounds(result, place)
  const all = [['Latency', result.latency ?? {}, of('latency')]]
  if (result.rate && result.serviceTime) all.push(['Service time', result.serviceTime, of('serviceTime')])
  if (result.sessions?.lifetime) all.push(['Session', result.sessions.lifetime, of('sessions.lifetime')])
  if (result.stream) {
    all.push(['First event', result.stream.timeToFirstEvent ?? {}, of('stream.timeToFirstEvent')], ['Event gap', result.stream.gap ?? {}, of('stream.gap')])
  }
  if (result.broadcast?.lastCopy) all.push(['Last copy', result.broadcast.lastCopy, ofBounds().copyBoundsOf(result)])
  if (all.every(([, statistics]) => isEmpty(statistics))) return []
  return all.map(([label, statistics, bounds]) => marked({ label, statistics, ...notationOf(statistics, style) }, bounds))
}

function latencySteps ({ isForPrograms, width }) {
  if (isForPrograms) return LATENCY_STEPS_FOR_PROGRAMS
  return width >= WIDE ? [...WIDE_LATENCY_STEPS, ...LATENCY_STEPS] : LATENCY_STEPS
}

// Determines how a row's durations are formatted: `unit` is null if each cell has its own; `show` omits the unit if the
// label contains it.
function notationOf (statistics, { isForPrograms }) {
  if (isForPrograms) {
    const show = (value) => format.isNumber(value) ? `${format.duration(value)} ms` : format.NOTHING
    return { unit: format.MILLISECONDS, show }
  }
  const values = ['p50', ...LATENCY_COLUMNS.map(({ key }) => key).filter((key) => key !== 'stddev')].map((key) => statistics[key])
  const unit = format.commonUnit(values)
  return { unit, show: (value) => format.time(value, unit) }
}

// Marks values that are only lower bounds. For a standard deviation, even that may be unknown.
function marked (row, bounds) {
  const withSign = (key, text) => {
    if (bounds === null || !format.isNumber(row.statistics[key])) return text
    const { [key]: value } = row.statistics
    const range = bounds.range(key)
    return key === 'stddev' && range.atLeast < value ? format.NOTHING : format.atLeast(text, ofBounds().isExceeded(range, value))
  }
  return { ...row, withSign }
}

function latencyContent (rows, { without = [], unitInLabel, hasExtras = false }) {
  const columns = LATENCY_COLUMNS.filter(({ name, isExtra = false }) => !without.includes(name) && (hasExtras || !isExtra))
  return { head: ['Stat', ...columns.map(({ name }) => name)], rows: rows.map((row) => latencyRow(row, columns, unitInLabel)) }
}

function latencyRow ({ label, statistics, unit, show, withSign }, columns, unitInLabel) {
  const isInLabel = unitInLabel && unit !== null
  const cell = (value) => isInLabel ? show(value).replace(/ \S+$/, '') : show(value)
  return [
    isInLabel ? `${label} (${unit.name})` : label,
    ...columns.map(({ key }) => isEmpty(statistics) ? format.NOTHING : withSign(key, cell(statistics[key])))
  ]
}

function furtherLines ({ label, statistics, show, withSign }) {
  const known = FURTHER_PERCENTILES.filter(([, key]) => !isEmpty(statistics) && format.isNumber(statistics[key]))
  return known.length === 0 ? [] : [`${label}: ${known.map(([name, key]) => `${name} ${withSign(key, show(statistics[key]))}`).join(', ')}`]
}

// Without values, statistics are zeros, which would look like an excellent latency.
function isEmpty (statistics) {
  return statistics.totalCount === 0 || Object.keys(statistics).length === 0
}

/**
 * Returns the table of requests and bytes per second; empty if there were no responses. Parameters as for `latencyTable`.
 */
function ratesTable (result, style) {
  if (!(result.requests?.total > 0) && !(result.requests?.average > 0)) return ''
  return fit(RATE_STEPS, style, ({ without = [], shortRates, shortSizes }) => {
    const columns = RATE_COLUMNS.filter(([name]) => !without.includes(name))
    const row = (label, statistics, show) => [label, ...columns.map(([, key]) => show(statistics?.[key]))]
    return {
      head: ['Stat', ...columns.map(([name]) => name)],
      rows: [
        row(`${shortNoun(result, style)}/Sec`, result.requests, shortRates ? format.shortRate : format.rate),
        row('Bytes/Sec', result.throughput, shortSizes ? format.shortSize : format.size)
      ]
    }
  })
}

/**
 * Returns the table of status codes and their counts, which may have been saved as strings; empty if there are none.
 * Parameters as for `latencyTable`.
 */
function statusCodeTable (result, { colors, isForPrograms }) {
  const show = isForPrograms ? String : format.count
  const rows = Object.entries(result.statusCodeStats)
    .map(([code, stats]) => [code, parseInt(stats?.count)])
    .filter(([code, count]) => /^\d{3}$/.test(code) && format.isNumber(count))
    .map(([code, count]) => [statusColor(code, colors)(code), show(count)])
  return rows.length === 0 ? '' : draw({ head: ['Code', 'Count'], rows }, {}, colors)
}

// Further agents are omitted, since they rarely differ from the others.
const MOST_AGENTS = 20
const LONGEST_NAME = 30
const FLEET_STEPS = [
  {},
  { tight: true },
  { tight: true, without: ['Cores'] },
  { tight: true, without: ['Cores', 'Clock'] },
  { tight: true, without: ['Cores', 'Clock', 'Scheduled'] }
]
const FLEET_COLUMNS = [
  ['Part', ({ share }) => format.isNumber(share) ? String(share) : format.NOTHING],
  ['Cores', ({ cores }) => format.count(cores)],
  ['Clock', ({ clockOffset, uncertainty }) => format.isNumber(clockOffset) && format.isNumber(uncertainty) ? `${format.grouped(clockOffset)} ± ${format.grouped(uncertainty)} ms` : format.NOTHING],
  ['Scheduled', ({ accounting }) => format.count(accounting?.scheduled)],
  ['Sent', ({ accounting }) => format.count(accounting?.sent)],
  ['Answered', ({ accounting }) => format.count(accounting?.completed)],
  ['Outcome', ({ outcome }) => clean(outcome)]
]

/**
 * Returns the table of the fleet's machines and their results; empty without a fleet. Parameters as for `latencyTable`.
 */
function fleetTable ({ fleet }, style) {
  if (!fleet) return ''
  const { agents } = fleet
  const table = fit(FLEET_STEPS, style, ({ without = [] }) => {
    const columns = FLEET_COLUMNS.filter(([name]) => !without.includes(name))
    return {
      head: ['Agent', ...columns.map(([name]) => name)],
      rows: agents.slice(0, MOST_AGENTS).map((agent) => [shortened(clean(agent.name)), ...columns.map(([, show]) => show(agent))])
    }
  })
  const others = agents.length - MOST_AGENTS
  return others > 0 ? `${table}\nand ${format.counted(others, 'other agent')}: see fleet.agents in the JSON result.` : table
}

function shortened (name) {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
}

function statusColor (code, colors) {
  return { 2: colors.green, 3: colors.cyan, 4: colors.yellow, 5: colors.red }[code[0]] ?? String
}

/**
 * Returns the table of all percentiles of the latency and, in the open model, of the service time, always in
 * milliseconds; empty if there are none. Parameters as for `latencyTable`.
 */
function percentileTable (result, { colors }) {
  const latency = result.latency ?? {}
  const serviceTime = result.rate ? result.serviceTime : undefined
  const columns = [[latency, 'latency'], ...(serviceTime ? [[serviceTime, 'serviceTime']] : [])]
  const percentiles = percentilesOf(latency)
  if (percentiles.length === 0) return ''
  return draw({
    head: ['Percentile', 'Latency (ms)', ...(serviceTime ? ['Service time (ms)'] : [])],
    rows: percentiles.map(([percent, key]) => [
      String(percent),
      ...columns.map(([statistics, place]) => isEmpty(statistics) ? format.NOTHING : format.atLeast(format.duration(statistics[key]), isMarked(result, key, statistics[key], place)))
    ])
  }, {}, colors)
}

// Derived from the field names, so that all percentiles of a result are shown.
function percentilesOf (statistics) {
  return Object.keys(statistics).filter((key) => /^p\d+(_\d+)?$/.test(key))
    .map((key) => [Number(key.slice(1).replace('_', '.')), key])
    .sort(([a], [b]) => a - b)
}

module.exports = { fleetTable, furtherPercentiles, latencyTable, percentileTable, ratesTable, statusCodeTable }
