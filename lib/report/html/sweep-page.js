'use strict'

const { chartFigure, linearRange, logRange, looks, section } = require('./chart')
const { wordsOfStudies } = require('./glossary')
const { sweepConditions } = require('./sweep-conditions')
const { html, shown, shownUrl } = require('./markup')
const numbers = require('../../words/numbers')
const { listed } = require('./lists')
const { arrivalsOf, nounOfArrivals } = require('../study/arrivals')
const table = require('./table')
const { studyWords } = require('./words')

const WIDE_RANGE = 30
const HOLLOW_NOTE = 'A hollow point: the load generator was saturated or had too few connections, so that it says as much of the generator as of the server. '
const REASONS = {
  rate: 'the rate was no longer achieved',
  errors: 'there were more errors',
  latency: 'the median latency had doubled'
}

/**
 * The page of a sweep.
 *
 * @param {object} sweep what `sweep` resolves with
 * @param {{ title?: string, options?: object }} settings
 * @returns {object} for `renderPage`
 */
function sweepPage (sweep, { title, options }) {
  const lines = linesOf(sweep)
  const knees = [sweep.knee].flat().filter((knee) => numbers.isNumber(knee?.rate))
  return {
    title: title ?? `Sweep of ${lines.map(({ name }) => name).join(' and ')}`,
    kind: 'sweep',
    lead: lead(sweep, lines),
    words: wordsOfStudies(nounOfArrivals(arrivalsOf(sweep)), arrivalsOf(sweep)),
    parts: [
      { markup: html`${knees.map((knee) => kneeInWords(knee, lines.length > 1, arrivalsOf(sweep)))}` },
      studyWords(sweep.warnings),
      section('Throughput', throughput(lines, knees, arrivalsOf(sweep))),
      section('Latency', latency(lines, knees, arrivalsOf(sweep))),
      section('Streams', streamTimes(lines, knees, arrivalsOf(sweep))),
      section('All rates', rowTable(lines, arrivalsOf(sweep))),
      section('Conditions', ...sweepConditions(sweep, options, lines.map(({ name }) => name)))
    ]
  }
}

/** What each target did, as a line through its points, in rising order of the rate. */
function linesOf ({ rows, targets }) {
  const kept = listed(rows).filter(({ demanded }) => numbers.isNumber(demanded))
  const count = Math.max(listed(targets).length, ...kept.map((row) => listed(row.targets).length))
  return Array.from({ length: count }, (_, index) => {
    const points = kept.map((row) => ({ demanded: row.demanded, ...listed(row.targets)[index] }))
    const name = shown(targets?.[index]?.name ?? points[0]?.name ?? `Target ${index + 1}`)
    return { name, ...looks(index), points: points.sort((a, b) => a.demanded - b.demanded) }
  })
}

function lead (sweep, lines) {
  const { targets, start, duration, stoppedBy } = sweep
  const rates = lines[0]?.points.map(({ demanded }) => demanded) ?? []
  const what = [
    numbers.moment(start),
    rates.length > 0 && `${rates.length} rates from ${numbers.rate(rates[0])} to ${numbers.rate(rates.at(-1))} ${arrivalsOf(sweep)} per second`,
    numbers.isNumber(duration) && `${numbers.span(duration)} each`,
    stoppedBy && `ended early: ${shown(stoppedBy)}`
  ].filter(Boolean).join(' · ')
  return html`<p class="lead"><span class="url">${listed(targets).map(({ url }) => [url].flat().map(shownUrl).join(', ')).join(' · ')}</span></p>
<p class="lead">${what}</p>
`
}

const LIMITS = {
  generator: ' (limited by the load generator, not the server)',
  connections: ' (limited by too few connections, not the server)',
  both: ' (limited by the server and the load generator)'
}

function kneeInWords ({ name, rate, p50, p99, beyond, reason, limitedBy }, isOneOfSeveral, arrivals) {
  const whose = isOneOfSeveral && name ? `${shown(name)}: knee` : 'Knee'
  const why = REASONS[reason] ? `, and at ${numbers.rate(beyond)} ${REASONS[reason]}` : ''
  const who = LIMITS[limitedBy] ?? ''
  return html`<p class="answer">${whose} at ${numbers.rate(rate)} ${arrivals} per second: median ${numbers.time(p50)}, p99 ${numbers.time(p99)} there${why}${who}.</p>
`
}

function rateAxis (lines, arrivals) {
  const rates = lines.flatMap(({ points }) => points.map(({ demanded }) => demanded))
  const isWide = rates.length > 2 && Math.max(...rates) > WIDE_RANGE * Math.min(...rates)
  const names = { label: `demanded ${arrivals} per second`, name: 'demanded', unit: '/s' }
  return isWide ? { scale: 'log', ...logRange(rates), ...names } : { scale: 'linear', ...linearRange(rates), ...names }
}

const ratesOf = (lines) => [...new Set(lines.flatMap(({ points }) => points.map(({ demanded }) => demanded)))].sort((a, b) => a - b)

function valuesOf ({ points }, rates, field) {
  const values = new Map(points.map((point) => [point.demanded, numbers.isNumber(point[field]) ? point[field] : null]))
  return rates.map((rate) => values.get(rate) ?? null)
}

// With several targets a knee is told apart by its colour and name.
function kneeLines (knees, lines) {
  return knees.map((knee) => {
    const line = lines.find(({ name }) => name === shown(knee.name))
    return {
      x: knee.rate,
      label: lines.length > 1 ? `knee of ${shown(knee.name)}` : `knee ${numbers.rate(knee.rate)}/s`,
      color: lines.length > 1 && line ? line.color : 'soft'
    }
  })
}

const isOfGenerator = ({ saturated, limitedBy }) => saturated === true || limitedBy === 'connections'

function hollowOf (lines, field, colorOf) {
  return lines.flatMap((line) => line.points.filter((point) => isOfGenerator(point) && numbers.isNumber(point[field]))
    .map((point) => ({ x: point.demanded, y: point[field], color: colorOf(line) })))
}

function throughput (lines, knees, arrivals) {
  const rates = ratesOf(lines)
  if (rates.length === 0) return null
  const achieved = lines.map((line) => valuesOf(line, rates, 'achieved'))
  const hollow = hollowOf(lines, 'achieved', ({ color }) => color)
  return chartFigure({
    id: 'achieved-by-rate',
    title: 'Demanded and achieved rate',
    note: `${hollow.length > 0 ? HOLLOW_NOTE : ''}As long as a server keeps up, its line is on the dashed one.`,
    summary: `Achieved against demanded rate. ${lines.map((line) => inWords(line, arrivals)).join(' ')}`,
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
  })
}

function inWords ({ name, points }, arrivals) {
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
  return chartFigure({
    id: 'latency-by-rate',
    title: 'Latency against rate',
    note: `Response time: it counts from when a ${nounOfArrivals(arrivals)} was due.`,
    summary: `Latency against demanded rate. ${series.map(({ name, of, field }) => highest(name, of, field)).join(' ')}`,
    chart: {
      x: rateAxis(lines, arrivals),
      y: { scale: 'log', ...logRange(values.flat()), label: 'latency (ms, logarithmic)', unit: 'ms' },
      series: series.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
      data: [rates, ...values],
      lines: kneeLines(knees, lines),
      hollow: series.flatMap(({ of, field, color }) => hollowOf([of], field, () => color))
    }
  })
}

/** How soon streams began and how steadily they went on, at each rate. */
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
  const show = numbers.durations(values.flat())
  return chartFigure({
    id: 'streams-by-rate',
    title: 'First event and gaps against rate',
    note: 'The first event counts from the send, a gap from the event before: 99th percentiles.',
    summary: `First event and gaps against demanded rate. ${series.map(({ name, of, field }) => highest(name, of, field)).join(' ')}`,
    tableTitle: 'The same as a table',
    table: table({
      caption: 'Streams at each rate',
      head: ['Demanded/s', ...series.map(({ name }) => `${name} ms`), ...some.map((line) => named(line, 'events/s'))],
      rows: rates.map((rate, row) => [
        numbers.rate(rate), ...values.map((column) => show(column[row])), ...some.map((line) => numbers.rate(valuesOf(line, rates, 'eventRate')[row]))
      ])
    }),
    chart: {
      x: rateAxis(some, arrivals),
      y: { scale: 'log', ...logRange(values.flat()), label: 'time (ms, logarithmic)', unit: 'ms' },
      series: series.map(({ name, color, line }) => ({ name, color, line, hasPoints: true })),
      data: [rates, ...values],
      lines: kneeLines(knees, some)
    }
  })
}

function ofStream ({ demanded, stream }) {
  return { demanded, firstEvent: stream?.timeToFirstEvent?.p99, gap: stream?.gap?.p99, eventRate: stream?.rate }
}

function highest (name, { points }, field) {
  const values = points.map((point) => point[field]).filter(numbers.isNumber)
  if (values.length === 0) return `${name}: nothing was answered.`
  return `${name}: from ${numbers.time(Math.min(...values))} to ${numbers.time(Math.max(...values))}.`
}

function rowTable (lines, arrivals) {
  const all = lines.flatMap(({ points }) => points)
  if (all.length === 0) return null
  const show = numbers.durations(all.map(({ p50 }) => p50))
  const isOne = lines.length === 1
  const rows = ratesOf(lines).flatMap((rate) => lines.flatMap((line) => line.points.filter(({ demanded }) => demanded === rate)
    .map((point) => [
      numbers.rate(rate),
      ...(isOne ? [] : [{ content: line.name, className: 'text' }]),
      numbers.rate(point.achieved),
      ...['p50', 'p90', 'p99', 'p99_9'].map((field) => numbers.atLeast(show(point[field]), listed(point.atLeast).includes(field))),
      { content: numbers.count(point.errors), className: point.errors > 0 ? 'fail' : '' },
      numbers.count(point.unsent),
      judged(point)
    ])))
  const head = ['Demanded/s', ...(isOne ? [] : ['Target']), 'Achieved/s', 'p50 ms', 'p90 ms', 'p99 ms', 'p99.9 ms', 'Errors', 'Never sent', 'Verdict']
  const kinds = head.map((name) => ['Target', 'Verdict'].includes(name) ? 'text' : 'number')
  return { markup: table({ caption: `What was measured at each rate${arrivals === 'requests' ? '' : `; demanded and achieved are ${arrivals} per second`}`, isCaptionSeen: arrivals !== 'requests', isStacked: true, head, kinds, rows }) }
}

function judged ({ keepsUp, saturated, limitedBy }) {
  if (limitedBy === 'both') return { content: 'does not keep up, generator saturated', className: 'verdict fail' }
  if (saturated === true || limitedBy === 'generator') return { content: 'generator saturated', className: 'verdict unsure' }
  if (limitedBy === 'connections') return { content: 'too few connections', className: 'verdict unsure' }
  if (keepsUp === false) return { content: 'does not keep up', className: 'verdict fail' }
  return { content: keepsUp === true ? 'keeps up' : '', className: 'verdict' }
}

module.exports = sweepPage
