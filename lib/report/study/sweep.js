'use strict'

const numbers = require('../../words/numbers')
const { linearRange, logRange, looks } = require('../axes')
const { bad, bounded, inWords, letter, note, verdict, warningsOf } = require('../document')
const { countsInWords } = require('../failures')
const { wordsOfSweeps } = require('../glossary')
const provenance = require('../provenance')
const { caption } = require('../summary')
const { clean } = require('../text')
const { axisOf, nounOfArrivals, placeOf } = require('./axis')
const { cpuCells, cpuColumns } = require('./monitored')

const { isNumber } = numbers

const WIDE_RANGE = 30
// How far above what was achieved a line of comparison is drawn.
const NEARBY = 1.3
const HOLLOW_NOTE = 'At hollow points the load generator was saturated or had too few connections: they show its limits as much as the server\'s. '

/** Converts a sweep to a document. @param {object} sweep what `sweep` resolves with */
function sweepDocument (sweep) {
  const { knee, targets, start, duration, stoppedBy, environment, options } = sweep
  const axis = axisOf(sweep)
  const lines = linesOf(sweep, axis)
  const knees = (knee ?? []).filter((each) => placeOf(each) !== null)
  const values = placesOf(lines)
  return {
    title: `Sweep of ${lines.map(({ name }) => name).join(' and ')}`,
    kind: 'sweep',
    heading: [...targets.map(({ name, url }, index) => `${targets.length > 1 ? `${letter(index)}: ` : ''}${name}: ${(url ?? []).join(', ')}`), caption({ start })],
    lead: {
      urls: targets.map(({ url }) => (url ?? []).join(', ')),
      facts: [
        numbers.moment(start),
        values.length > 0 && axis.steps(values),
        duration !== null && `${numbers.span(duration)} each`,
        ...lines.map(statusesOf),
        stoppedBy && `ended early: ${stoppedBy}`
      ]
    },
    words: wordsOfSweeps(nounOfArrivals(axis.arrivals), axis),
    answer: knees.map((each) => kneeInWords(each, axis)),
    remarks: stopped(sweep),
    warnings: warningsOf(sweep),
    sections: [
      { title: 'Throughput', parts: [{ chart: throughput(lines, knees, axis) }] },
      { title: 'Latency', parts: [{ chart: latency(lines, knees, axis) }] },
      { title: 'Streams', parts: [{ chart: streamTimes(lines, knees, axis) }] },
      { title: axis.tableTitle, parts: [{ table: rowTable(lines, axis) }] }
    ],
    conditions: provenance(environment),
    names: lines.map(({ name }) => name),
    options
  }
}

// With several targets, the names tell apart whose statuses they are.
function statusesOf ({ name, points }, index, { length }) {
  const sums = {}
  for (const [status, count] of points.flatMap(({ statuses }) => Object.entries(statuses ?? {}))) sums[status] = (sums[status] ?? 0) + count
  const words = countsInWords(sums)
  return words && length > 1 ? `${name}: ${words}` : words
}

/** Returns each target as a line through its points, sorted by rate or number of connections (`at`). */
function linesOf ({ rows, targets }, { field }) {
  const kept = rows.filter((row) => row[field] !== null)
  const count = Math.max(targets.length, ...kept.map((row) => row.targets.length))
  return Array.from({ length: count }, (_, index) => {
    const points = kept.map((row) => ({ at: row[field], ...row.targets[index] }))
    const name = targets[index]?.name || points[0]?.name || `Target ${index + 1}`
    return { name, ...looks(index), points: points.sort((a, b) => a.at - b.at) }
  })
}

function rowTable (lines, axis) {
  const isGeneratorSeen = !axis.isOfRates && lines.some(({ points }) => points.some(({ saturated }) => saturated === true))
  const hasStream = lines.some(({ points }) => points.some(({ stream }) => stream))
  const isOne = lines.length === 1
  const all = lines.flatMap(({ points }) => points)
  return {
    caption: axis.caption + axis.ofRates,
    isCaptionSeen: axis.arrivals !== 'requests',
    columns: [
      axis.column,
      ...(isOne ? [] : [{ name: 'Target', only: 'page' }, { name: 'Target', only: 'terminal' }]),
      { name: 'Achieved', of: 'rate' },
      ...TIMES.map(([name, , only]) => ({ name, of: 'time', only })),
      ...(hasStream ? STREAM_TIMES.map(([name]) => ({ name, of: 'time', only: 'terminal' })) : []),
      { name: 'Failures', of: 'figure' },
      ...(axis.isOfRates ? [{ name: 'Never sent', of: 'count', only: 'page' }] : []),
      ...cpuColumns(all),
      ...(axis.isOfRates ? [{ name: 'Kept up' }] : []),
      ...(isGeneratorSeen ? [{ name: 'Generator' }] : [])
    ],
    rows: placesOf(lines).flatMap((value) => lines.flatMap(({ name, points }, index) => points.filter(({ at }) => at === value).map((point) => [
      value,
      // The letter matches the legend above the table.
      ...(isOne ? [] : [name, { value: `${letter(index)}: ${shortened(name, LONGEST_NAME)}`, brief: `${letter(index)}: ${shortened(name, SHORT_NAME)}` }]),
      point.achieved,
      ...TIMES.map(([, field]) => bounded(point, field)),
      ...(hasStream ? STREAM_TIMES.map(([, of]) => bounded(point, `stream.${of}.p99`, point.stream?.[of]?.p99)) : []),
      { ...bad(point.failures ?? point.errors), value: failuresInWords(point) },
      ...(axis.isOfRates ? [point.unsent] : []),
      ...cpuCells(point, all),
      ...(axis.isOfRates ? [judged(point)] : []),
      ...(isGeneratorSeen ? [point.saturated === true ? verdict('saturated', 'unsure') : ''] : [])
    ])))
  }
}

const TIMES = [['p50', 'p50'], ['p90', 'p90', 'page'], ['p99', 'p99'], ['p99.9', 'p99_9', 'page']]
const STREAM_TIMES = [['First event p99', 'timeToFirstEvent'], ['Gap p99', 'gap']]

// Results of earlier versions have only errors.
function failuresInWords (point) {
  const failures = point.failures ?? point.errors
  return failures > 0 ? `${numbers.count(failures)} (${shareOfFailures(point)})` : numbers.count(failures)
}

function shareOfFailures ({ failures, errors, errorPercent, completed }) {
  return failures === null || failures === undefined ? numbers.percent(errorPercent / 100) : numbers.share(failures, errors + completed)
}

function judged ({ keepsUp, saturated, limitedBy }) {
  if (keepsUp === true) return saturated ? { ...verdict('yes, generator saturated', 'unsure'), brief: 'yes' } : verdict('yes')
  if (limitedBy === 'both') return { ...verdict('no: server and generator', 'fail'), brief: 'no: both' }
  if (limitedBy === 'connections') return { ...verdict('no: too few connections', 'unsure'), brief: 'no: connections' }
  if (saturated === true || limitedBy === 'generator') return { ...verdict('no: the generator', 'unsure'), brief: 'no: generator' }
  return keepsUp === false ? verdict('no', 'fail') : ''
}

const LINE = 80
const LONGEST_NAME = 20
const SHORT_NAME = 12
const SHORTEST_NAME = 8
// The length that a shortened name should keep, to stay distinguishable.
const TELLING_NAME = 16

function shortened (name, longest) {
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}

const KEPT_UP = { generator: 'generator too slow', connections: 'too few connections', both: 'both too slow' }

// Steps by which a line is shortened until it fits.
const LINE_STEPS = [{}, { isTerse: true }, { isTerse: true, isWithoutMedian: true }]

/**
 * Returns one target of a row as a progress line, of at most 80 characters; rates above a million may need more.
 *
 * @param {object} row
 * @param {object} target
 * @param {boolean} isOne whether the sweep has only one target
 */
function rowLine (row, target, isOne) {
  const axis = axisOf({ axis: row.connections === undefined ? 'rates' : 'connections' })
  const place = axis.ofLine(row[axis.field])
  const least = isOne ? place.length : place.length + 1 + Math.min(TELLING_NAME, target.name.length)
  const fitting = LINE_STEPS.map((step) => `: ${measured(target, step)}`)
  const rest = fitting.find((text) => least + text.length <= LINE) ?? fitting.at(-1)
  if (isOne) return place + rest
  const room = Math.max(SHORTEST_NAME, LINE - place.length - 1 - rest.length)
  return `${place} ${shortened(clean(target.name), Math.min(LONGEST_NAME, room))}${rest}`
}

function measured (point, { isTerse, isWithoutMedian }) {
  const { achieved, p50, p99, atLeast, keepsUp, limitedBy, saturated } = point
  const time = (name, value) => inWords(bounded({ atLeast }, name, value), 'time')
  return [
    `${isTerse ? '' : 'achieved '}${numbers.rate(achieved)}/s`,
    isWithoutMedian ? '' : `p50 ${time('p50', p50)}`,
    `p99 ${time('p99', p99)}`,
    (point.failures ?? point.errors) === 0 ? '' : `${shareOfFailures(point)} failed`,
    keptUp({ keepsUp, limitedBy, saturated })
  ].filter(Boolean).join(', ')
}

function keptUp ({ keepsUp, limitedBy, saturated }) {
  // Without a demanded rate, there is nothing to keep up with.
  if (keepsUp === null) return saturated ? 'generator saturated' : ''
  return keepsUp ? 'kept up' : KEPT_UP[limitedBy] ?? 'not kept up'
}

const REASONS = {
  rate: 'the achieved rate falls behind',
  errors: 'there are errors',
  latency: 'the median latency has doubled',
  throughput: 'latency grows more than throughput'
}

const OF_GENERATOR = {
  generator: ' The limit was the load generator, not the server.',
  connections: ' The limit was the number of connections, not the server.',
  both: ' The limit was both the server and the load generator.'
}

/** Returns what is worse beyond a knee, in words. */
const reasonBeyond = (reason) => REASONS[reason] ?? reason

function kneeInWords (knee, axis) {
  const { name, beyond, reason, limitedBy } = knee
  const whose = OF_GENERATOR[limitedBy] ?? ''
  return note(`The knee of ${name} is at ${axis.knee(knee)}: ${axis.beyond(beyond)} ${reasonBeyond(reason)}.${whose}`)
}

function stopped ({ stoppedBy }) {
  if (!stoppedBy) return []
  if (stoppedBy === 'no answer') return [note('The sweep ended early because responses stopped.')]
  if (stoppedBy === 'agent lost') return [note('The sweep ended early because an agent of its fleet was lost.')]
  return [note(stoppedBy === 'stop' ? 'The sweep was stopped before it was over.' : `The sweep ended early because a limit was exceeded: ${stoppedBy}.`)]
}

function xAxis (lines, { x }) {
  const values = lines.flatMap(({ points }) => points.map(({ at }) => at))
  const isWide = values.length > 2 && Math.max(...values) > WIDE_RANGE * Math.min(...values)
  return isWide ? { scale: 'log', ...logRange(values), ...x } : { scale: 'linear', ...linearRange(values), ...x }
}

const placesOf = (lines) => [...new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => a - b)

function valuesOf ({ points }, places, field) {
  const values = new Map(points.map((point) => [point.at, point[field]]))
  return places.map((place) => values.get(place) ?? null)
}

// With several targets, colour and name distinguish the knees.
function kneeLines (knees, lines, axis) {
  return knees.map((knee) => {
    const line = lines.find(({ name }) => name === knee.name)
    return {
      x: placeOf(knee),
      label: lines.length > 1 ? `knee of ${knee.name}` : axis.kneeLabel(placeOf(knee)),
      color: lines.length > 1 && line ? line.color : 'soft'
    }
  })
}

const isOfGenerator = ({ saturated, limitedBy }) => saturated === true || limitedBy === 'connections'

function hollowOf (lines, field, colorOf) {
  return lines.flatMap((line) => line.points.filter((point) => isOfGenerator(point) && point[field] !== null)
    .map((point) => ({ x: point.at, y: point[field], color: colorOf(line) })))
}

function throughput (lines, knees, axis) {
  const places = placesOf(lines)
  if (places.length === 0) return null
  const achieved = lines.map((line) => valuesOf(line, places, 'achieved'))
  const ideal = axis.isOfRates ? { name: 'as demanded', values: places, note: 'While a server keeps up, its line follows the dashed one.' } : alone(lines, places)
  const hollow = hollowOf(lines, 'achieved', ({ color }) => color)
  return {
    id: 'achieved-by-rate',
    title: axis.throughputTitle,
    note: `${hollow.length > 0 ? HOLLOW_NOTE : ''}${ideal.note}`,
    summary: `${axis.throughputSummary}. ${lines.map((line) => mostOf(line, axis)).join(' ')}`,
    chart: {
      x: xAxis(lines, axis),
      y: { scale: 'linear', ...linearRange([...ideal.values, ...achieved.flat()]), label: `achieved ${axis.arrivals} per second`, unit: '/s' },
      series: [
        ...lines.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
        { name: ideal.name, color: 'soft', line: 'dashed' }
      ],
      data: [places, ...achieved, ideal.values],
      lines: kneeLines(knees, lines, axis),
      hollow
    }
  }
}

// What as many users would achieve if each were as fast as when they were fewest, as far as it is near what was achieved.
function alone (lines, places) {
  const first = lines.flatMap(({ points }) => points.slice(0, 1))
  const perUser = Math.max(...first.map(({ achieved, at }) => achieved / at))
  const most = Math.max(...lines.flatMap(({ points }) => points.map(({ achieved }) => achieved)))
  return {
    name: 'if no user waited for others',
    values: places.map((place) => place * perUser <= most * NEARBY ? place * perUser : null),
    note: 'While users do not wait for each other, the line follows the dashed one.'
  }
}

function mostOf ({ name, points }, axis) {
  const best = points.reduce((a, b) => b.achieved > a.achieved ? b : a)
  return `${name} achieved at most ${numbers.rate(best.achieved)} ${axis.arrivals} per second, ${axis.most(best.at)}.`
}

function latency (lines, knees, axis) {
  const places = placesOf(lines)
  if (places.length === 0) return null
  const isOne = lines.length === 1
  const series = lines.flatMap((line) => [
    { field: 'p99', of: line, name: isOne ? 'p99' : `${line.name}, p99`, color: isOne ? 'series-2' : line.color, line: 'solid' },
    { field: 'p50', of: line, name: isOne ? 'p50' : `${line.name}, p50`, color: isOne ? 'series-4' : line.color, line: isOne ? 'solid' : 'dashed' }
  ])
  const values = series.map(({ of, field }) => valuesOf(of, places, field))
  return {
    id: 'latency-by-rate',
    title: axis.latencyTitle,
    note: axis.latencyNote,
    summary: `${axis.latencySummary}. ${series.map(({ name, of, field }) => highest(name, of, field)).join(' ')}`,
    chart: {
      x: xAxis(lines, axis),
      y: { scale: 'log', ...logRange(values.flat()), label: 'latency (ms, logarithmic)', unit: 'ms' },
      series: series.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
      data: [places, ...values],
      lines: kneeLines(knees, lines, axis),
      hollow: series.flatMap(({ of, field, color }) => hollowOf([of], field, () => color))
    }
  }
}

/** Shows how soon streams began and how steadily they continued, at each step. */
function streamTimes (lines, knees, axis) {
  const some = lines.filter(({ points }) => points.some(({ stream }) => stream)).map((line) => ({ ...line, points: line.points.map(ofStream) }))
  const places = placesOf(some)
  if (places.length === 0) return null
  const named = (line, what) => some.length === 1 ? what : `${line.name}, ${what}`
  const series = some.flatMap((line) => [
    { field: 'firstEvent', of: line, name: named(line, 'first event p99'), color: line.color, line: 'solid' },
    { field: 'gap', of: line, name: named(line, 'gap p99'), color: some.length === 1 ? 'series-2' : line.color, line: some.length === 1 ? 'solid' : 'dashed' }
  ])
  const values = series.map(({ of, field }) => valuesOf(of, places, field))
  return {
    id: 'streams-by-rate',
    title: axis.streamsTitle,
    note: '99th percentiles. The first event counts from when the request was sent, a gap from the previous event.',
    summary: `${axis.streamsSummary} ${series.map(({ name, of, field }) => highest(name, of, field)).join(' ')}`,
    tableTitle: 'The same as a table',
    table: {
      caption: axis.streamsCaption,
      only: 'page',
      columns: [{ name: axis.column.name, of: axis.column.of }, ...series.map(({ name }) => ({ name, of: 'time' })), ...some.map((line) => ({ name: named(line, 'events/s'), of: 'rate' }))],
      rows: places.map((place, row) => [place, ...values.map((column) => column[row]), ...some.map((line) => valuesOf(line, places, 'eventRate')[row])])
    },
    chart: {
      x: xAxis(some, axis),
      y: { scale: 'log', ...logRange(values.flat()), label: 'time (ms, logarithmic)', unit: 'ms' },
      series: series.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
      data: [places, ...values],
      lines: kneeLines(knees, some, axis)
    }
  }
}

function ofStream ({ at, stream }) {
  return { at, firstEvent: stream?.timeToFirstEvent?.p99, gap: stream?.gap?.p99, eventRate: stream?.rate }
}

function highest (name, { points }, field) {
  const values = points.map((point) => point[field]).filter(isNumber)
  if (values.length === 0) return `${name}: no responses.`
  return `${name}: from ${numbers.time(Math.min(...values))} to ${numbers.time(Math.max(...values))}.`
}

module.exports = { reasonBeyond, rowLine, sweepDocument }
