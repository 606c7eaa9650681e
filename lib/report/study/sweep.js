'use strict'

const numbers = require('../../words/numbers')
const { linearRange, logRange, looks } = require('../axes')
const { bad, bounded, inWords, letter, note, verdict, warningsOf } = require('../document')
const { countsInWords } = require('../failures')
const { wordsOfStudies } = require('../glossary')
const provenance = require('../provenance')
const { caption } = require('../summary')
const { clean } = require('../text')
const { arrivalsOf, nounOfArrivals, rateHead } = require('./arrivals')
const { cpuCells, cpuColumns } = require('./monitored')

const { isNumber } = numbers

const WIDE_RANGE = 30
const HOLLOW_NOTE = 'At hollow points the load generator was saturated or had too few connections: they show its limits as much as the server\'s. '

/** Converts a sweep to a document. @param {object} sweep what `sweep` resolves with */
function sweepDocument (sweep) {
  const { knee, targets, start, duration, stoppedBy, environment, options } = sweep
  const arrivals = arrivalsOf(sweep)
  const lines = linesOf(sweep)
  const knees = (knee ?? []).filter(({ rate }) => rate !== null)
  const rates = ratesOf(lines)
  return {
    title: `Sweep of ${lines.map(({ name }) => name).join(' and ')}`,
    kind: 'sweep',
    heading: [...targets.map(({ name, url }, index) => `${targets.length > 1 ? `${letter(index)}: ` : ''}${name}: ${(url ?? []).join(', ')}`), caption({ start })],
    lead: {
      urls: targets.map(({ url }) => (url ?? []).join(', ')),
      facts: [
        numbers.moment(start),
        rates.length > 0 && `${rates.length} rates from ${numbers.rate(rates[0])} to ${numbers.rate(rates.at(-1))} ${arrivals} per second`,
        duration !== null && `${numbers.span(duration)} each`,
        ...lines.map(statusesOf),
        stoppedBy && `ended early: ${stoppedBy}`
      ]
    },
    words: wordsOfStudies(nounOfArrivals(arrivals), arrivals),
    answer: knees.map((each) => kneeInWords(each, arrivals)),
    remarks: stopped(sweep),
    warnings: warningsOf(sweep),
    sections: [
      { title: 'Throughput', parts: [{ chart: throughput(lines, knees, arrivals) }] },
      { title: 'Latency', parts: [{ chart: latency(lines, knees, arrivals) }] },
      { title: 'Streams', parts: [{ chart: streamTimes(lines, knees, arrivals) }] },
      { title: 'All rates', parts: [{ table: rowTable(lines, arrivals) }] }
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

/** Returns each target as a line through its points, sorted by rate. */
function linesOf ({ rows, targets }) {
  const kept = rows.filter(({ demanded }) => demanded !== null)
  const count = Math.max(targets.length, ...kept.map((row) => row.targets.length))
  return Array.from({ length: count }, (_, index) => {
    const points = kept.map((row) => ({ demanded: row.demanded, ...row.targets[index] }))
    const name = targets[index]?.name || points[0]?.name || `Target ${index + 1}`
    return { name, ...looks(index), points: points.sort((a, b) => a.demanded - b.demanded) }
  })
}

function rowTable (lines, arrivals) {
  const hasStream = lines.some(({ points }) => points.some(({ stream }) => stream))
  const isOne = lines.length === 1
  const all = lines.flatMap(({ points }) => points)
  return {
    caption: `Results at each rate${arrivals === 'requests' ? '' : `; demanded and achieved rates are ${arrivals} per second`}`,
    isCaptionSeen: arrivals !== 'requests',
    columns: [
      { name: 'Demanded', of: 'rate', short: rateHead(arrivals, 'Demanded') },
      ...(isOne ? [] : [{ name: 'Target', only: 'page' }, { name: 'Target', only: 'terminal' }]),
      { name: 'Achieved', of: 'rate' },
      ...TIMES.map(([name, , only]) => ({ name, of: 'time', only })),
      ...(hasStream ? STREAM_TIMES.map(([name]) => ({ name, of: 'time', only: 'terminal' })) : []),
      { name: 'Failures', of: 'figure' },
      { name: 'Never sent', of: 'count', only: 'page' },
      ...cpuColumns(all),
      { name: 'Kept up' }
    ],
    rows: ratesOf(lines).flatMap((rate) => lines.flatMap(({ name, points }, index) => points.filter(({ demanded }) => demanded === rate).map((point) => [
      rate,
      // The letter matches the legend above the table.
      ...(isOne ? [] : [name, { value: `${letter(index)}: ${shortened(name, LONGEST_NAME)}`, brief: `${letter(index)}: ${shortened(name, SHORT_NAME)}` }]),
      point.achieved,
      ...TIMES.map(([, field]) => bounded(point, field)),
      ...(hasStream ? STREAM_TIMES.map(([, of]) => bounded(point, `stream.${of}.p99`, point.stream?.[of]?.p99)) : []),
      { ...bad(point.failures ?? point.errors), value: failuresInWords(point) },
      point.unsent,
      ...cpuCells(point, all),
      judged(point)
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
 * Returns one target of a row as a progress line.
 *
 * @param {object} row
 * @param {object} target
 * @param {boolean} isOne whether the sweep has only one target
 * @param {number} [width=80] in characters; rates above a million may need more
 */
function rowLine ({ demanded }, target, isOne, width = 80) {
  const rate = `${numbers.rate(demanded)}/s`
  const least = isOne ? rate.length : rate.length + 1 + Math.min(TELLING_NAME, target.name.length)
  const fitting = LINE_STEPS.map((step) => `: ${measured(target, step)}`)
  const rest = fitting.find((text) => least + text.length <= width) ?? fitting.at(-1)
  if (isOne) return rate + rest
  const room = Math.max(SHORTEST_NAME, width - rate.length - 1 - rest.length)
  return `${rate} ${shortened(clean(target.name), Math.min(LONGEST_NAME, room))}${rest}`
}

function measured (point, { isTerse, isWithoutMedian }) {
  const { achieved, p50, p99, atLeast, keepsUp, limitedBy } = point
  const time = (name, value) => inWords(bounded({ atLeast }, name, value), 'time')
  return [
    `${isTerse ? '' : 'achieved '}${numbers.rate(achieved)}/s`,
    isWithoutMedian ? '' : `p50 ${time('p50', p50)}`,
    `p99 ${time('p99', p99)}`,
    (point.failures ?? point.errors) === 0 ? '' : `${shareOfFailures(point)} failed`,
    keepsUp ? 'kept up' : KEPT_UP[limitedBy] ?? 'not kept up'
  ].filter(Boolean).join(', ')
}

const REASONS = {
  rate: 'the achieved rate falls behind',
  errors: 'there are errors',
  latency: 'the median latency has doubled'
}

const OF_GENERATOR = {
  generator: ' The limit was the load generator, not the server.',
  connections: ' The limit was the number of connections, not the server.',
  both: ' The limit was both the server and the load generator.'
}

function kneeInWords ({ name, rate, p50, p99, beyond, reason, limitedBy }, arrivals) {
  const whose = OF_GENERATOR[limitedBy] ?? ''
  return note(`The knee of ${name} is at ${numbers.rate(rate)} ${arrivals} per second (p50 ${numbers.time(p50)}, p99 ${numbers.time(p99)}): at ${numbers.rate(beyond)} ${REASONS[reason] ?? reason}.${whose}`)
}

function stopped ({ stoppedBy }) {
  if (!stoppedBy) return []
  if (stoppedBy === 'no answer') return [note('The sweep ended early because responses stopped.')]
  if (stoppedBy === 'agent lost') return [note('The sweep ended early because an agent of its fleet was lost.')]
  return [note(stoppedBy === 'stop' ? 'The sweep was stopped before it was over.' : `The sweep ended early because a limit was exceeded: ${stoppedBy}.`)]
}

function rateAxis (lines, arrivals) {
  const rates = lines.flatMap(({ points }) => points.map(({ demanded }) => demanded))
  const isWide = rates.length > 2 && Math.max(...rates) > WIDE_RANGE * Math.min(...rates)
  const names = { label: `demanded ${arrivals} per second`, name: 'demanded', unit: '/s' }
  return isWide ? { scale: 'log', ...logRange(rates), ...names } : { scale: 'linear', ...linearRange(rates), ...names }
}

const ratesOf = (lines) => [...new Set(lines.flatMap(({ points }) => points.map(({ demanded }) => demanded)))].sort((a, b) => a - b)

function valuesOf ({ points }, rates, field) {
  const values = new Map(points.map((point) => [point.demanded, point[field]]))
  return rates.map((rate) => values.get(rate) ?? null)
}

// With several targets, colour and name distinguish the knees.
function kneeLines (knees, lines) {
  return knees.map((knee) => {
    const line = lines.find(({ name }) => name === knee.name)
    return {
      x: knee.rate,
      label: lines.length > 1 ? `knee of ${knee.name}` : `knee ${numbers.rate(knee.rate)}/s`,
      color: lines.length > 1 && line ? line.color : 'soft'
    }
  })
}

const isOfGenerator = ({ saturated, limitedBy }) => saturated === true || limitedBy === 'connections'

function hollowOf (lines, field, colorOf) {
  return lines.flatMap((line) => line.points.filter((point) => isOfGenerator(point) && point[field] !== null)
    .map((point) => ({ x: point.demanded, y: point[field], color: colorOf(line) })))
}

function throughput (lines, knees, arrivals) {
  const rates = ratesOf(lines)
  if (rates.length === 0) return null
  const achieved = lines.map((line) => valuesOf(line, rates, 'achieved'))
  const hollow = hollowOf(lines, 'achieved', ({ color }) => color)
  return {
    id: 'achieved-by-rate',
    title: 'Demanded and achieved rate',
    note: `${hollow.length > 0 ? HOLLOW_NOTE : ''}While a server keeps up, its line follows the dashed one.`,
    summary: `Achieved against demanded rate. ${lines.map((line) => mostOf(line, arrivals)).join(' ')}`,
    chart: {
      x: rateAxis(lines, arrivals),
      y: { scale: 'linear', ...linearRange([...rates, ...achieved.flat()]), label: `achieved ${arrivals} per second`, unit: '/s' },
      series: [
        ...lines.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
        { name: 'as demanded', color: 'soft', line: 'dashed' }
      ],
      data: [rates, ...achieved, rates],
      lines: kneeLines(knees, lines),
      hollow
    }
  }
}

function mostOf ({ name, points }, arrivals) {
  const best = points.reduce((a, b) => b.achieved > a.achieved ? b : a)
  return `${name} achieved at most ${numbers.rate(best.achieved)} ${arrivals} per second, at ${numbers.rate(best.demanded)} demanded.`
}

function latency (lines, knees, arrivals) {
  const rates = ratesOf(lines)
  if (rates.length === 0) return null
  const isOne = lines.length === 1
  const series = lines.flatMap((line) => [
    { field: 'p99', of: line, name: isOne ? 'p99' : `${line.name}, p99`, color: isOne ? 'series-2' : line.color, line: 'solid' },
    { field: 'p50', of: line, name: isOne ? 'p50' : `${line.name}, p50`, color: isOne ? 'series-4' : line.color, line: isOne ? 'solid' : 'dashed' }
  ])
  const values = series.map(({ of, field }) => valuesOf(of, rates, field))
  return {
    id: 'latency-by-rate',
    title: 'Latency against rate',
    note: `Response time, counted from when a ${nounOfArrivals(arrivals)} was due.`,
    summary: `Latency against demanded rate. ${series.map(({ name, of, field }) => highest(name, of, field)).join(' ')}`,
    chart: {
      x: rateAxis(lines, arrivals),
      y: { scale: 'log', ...logRange(values.flat()), label: 'latency (ms, logarithmic)', unit: 'ms' },
      series: series.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
      data: [rates, ...values],
      lines: kneeLines(knees, lines),
      hollow: series.flatMap(({ of, field, color }) => hollowOf([of], field, () => color))
    }
  }
}

/** Shows how soon streams began and how steadily they continued, at each rate. */
function streamTimes (lines, knees, arrivals) {
  const some = lines.filter(({ points }) => points.some(({ stream }) => stream)).map((line) => ({ ...line, points: line.points.map(ofStream) }))
  const rates = ratesOf(some)
  if (rates.length === 0) return null
  const named = (line, what) => some.length === 1 ? what : `${line.name}, ${what}`
  const series = some.flatMap((line) => [
    { field: 'firstEvent', of: line, name: named(line, 'first event p99'), color: line.color, line: 'solid' },
    { field: 'gap', of: line, name: named(line, 'gap p99'), color: some.length === 1 ? 'series-2' : line.color, line: some.length === 1 ? 'solid' : 'dashed' }
  ])
  const values = series.map(({ of, field }) => valuesOf(of, rates, field))
  return {
    id: 'streams-by-rate',
    title: 'First event and gaps against rate',
    note: '99th percentiles. The first event counts from when the request was sent, a gap from the previous event.',
    summary: `First event and gaps against demanded rate. ${series.map(({ name, of, field }) => highest(name, of, field)).join(' ')}`,
    tableTitle: 'The same as a table',
    table: {
      caption: 'Streams at each rate',
      only: 'page',
      columns: [{ name: 'Demanded', of: 'rate' }, ...series.map(({ name }) => ({ name, of: 'time' })), ...some.map((line) => ({ name: named(line, 'events/s'), of: 'rate' }))],
      rows: rates.map((rate, row) => [rate, ...values.map((column) => column[row]), ...some.map((line) => valuesOf(line, rates, 'eventRate')[row])])
    },
    chart: {
      x: rateAxis(some, arrivals),
      y: { scale: 'log', ...logRange(values.flat()), label: 'time (ms, logarithmic)', unit: 'ms' },
      series: series.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
      data: [rates, ...values],
      lines: kneeLines(knees, some)
    }
  }
}

function ofStream ({ demanded, stream }) {
  return { demanded, firstEvent: stream?.timeToFirstEvent?.p99, gap: stream?.gap?.p99, eventRate: stream?.rate }
}

function highest (name, { points }, field) {
  const values = points.map((point) => point[field]).filter(isNumber)
  if (values.length === 0) return `${name}: no responses.`
  return `${name}: from ${numbers.time(Math.min(...values))} to ${numbers.time(Math.max(...values))}.`
}

module.exports = { kneeInWords, rowLine, sweepDocument }
