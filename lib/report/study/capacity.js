'use strict'

const numbers = require('../../words/numbers')
const { parseThresholds } = require('../../thresholds')
const { logRange } = require('../axes')
const { bad, bounded, inWords, note, verdict, warningsOf } = require('../document')
const { countsInWords } = require('../failures')
const { wordsOfStudies } = require('../glossary')
const provenance = require('../provenance')
const { caption } = require('../summary')
const { arrivalsOf, nounOfArrivals, rateHead } = require('./arrivals')
const { actualOf, nearness, noCapacity, whoLimits } = require('./capacity-words')
const { axisOf } = require('./axis')
const { cpuCells, cpuColumns } = require('./monitored')
const { reasonBeyond } = require('./sweep')

/** Converts a capacity search to a document. @param {object} search what `findCapacity` resolves with */
function capacityDocument (search) {
  const { knee, start, finish, options } = search
  const [target, slo] = [search.target ?? { name: 'the server', url: [] }, search.slo]
  const steps = search.steps.filter(({ rate }) => rate !== null)
  const arrivals = arrivalsOf(search)
  const remarks = knee?.rate != null ? [kneeBeside(search, axisOf(search))] : []
  const took = (new Date(finish) - new Date(start)) / 1000
  return {
    title: `Capacity of ${target.name || 'the server'}`,
    kind: 'capacity search',
    heading: [`${target.name}, SLO: ${slo.join(', ')}`, caption({ url: target.url, start })],
    lead: {
      urls: target.url ?? [],
      facts: [numbers.moment(start), took > 0 && numbers.span(took), `${steps.length} runs`, slo.length > 0 && `SLO: ${slo.join(', ')}`]
    },
    words: wordsOfStudies(nounOfArrivals(arrivals), arrivals),
    answer: [note(answer(search))],
    remarks: remarks.map(note),
    warnings: warningsOf(search),
    figures: figures(search, steps),
    sections: [{
      title: 'Rates tried',
      parts: [{ chart: throughput(search, steps) }, { chart: latency(search, steps) }, { list: remarks }, { table: rateTable(steps, arrivals) }, { table: stepTable(steps, arrivals) }]
    }],
    conditions: conditions(search),
    options
  }
}

/** The results at each rate: those of its last run, which counts for the answer, and the verdicts of all of its runs. */
function rateTable (steps, arrivals) {
  return {
    only: 'page',
    caption: `Results at each rate, of its last run${ofArrivals(arrivals)}`,
    isCaptionSeen: true,
    columns: [{ name: 'Demanded', of: 'rate' }, { name: 'Achieved', of: 'rate' }, { name: 'p50', of: 'time' }, { name: 'p99', of: 'time' }, { name: 'Runs' }, { name: 'Passed' }],
    rows: runsByRate(steps).map((runs) => {
      const last = runs.at(-1)
      return [last.rate, ...measuredIn(last), { value: runs.map(verdictOfRun).join(', '), className: 'short' }, judged(last)]
    })
  }
}

const verdictOfRun = ({ passed, phase }) => `${passed ? 'passed' : 'failed'}${phase === 'confirm' ? ' (longer)' : ''}`
const ofArrivals = (arrivals) => arrivals === 'requests' ? '' : `; demanded and achieved rates are ${arrivals} per second`

function stepTable (steps, arrivals) {
  return {
    caption: `All steps, in the order they were run${ofArrivals(arrivals)}`,
    isCaptionSeen: true,
    folded: `${numbers.counted(steps.length, 'run')}, in order`,
    columns: [
      { name: 'Step', only: 'page' },
      { name: 'Demanded', of: 'rate', short: rateHead(arrivals, 'Rate') },
      { name: 'Phase' },
      { name: 'Achieved', of: 'rate' },
      { name: 'p50', of: 'time' },
      { name: 'p99', of: 'time' },
      { name: 'Failures', of: 'count', only: 'page' },
      { name: 'Seconds', of: 'figure', only: 'page' },
      ...cpuColumns(steps),
      { name: 'Passed' }
    ],
    rows: steps.map((step, index) => [
      String(index + 1), step.rate, step.phase, ...measuredIn(step), bad(step.failures ?? step.errors), numbers.tenths(step.duration), ...cpuCells(step, steps), judged(step)
    ])
  }
}

const measuredIn = (step) => [step.achieved, bounded(step, 'p50'), bounded(step, 'p99')]
const NOT_ALONE = { generator: "the load generator's limit", connections: 'too few connections', both: 'the load generator was saturated as well' }

// For a rate that did not pass, shows the deciding value, which may be in none of the other columns: 'no: 5xx < 1%
// (12.5%)'.
function judged (step) {
  const { passed, missed, limitedBy } = step
  if (passed === true) return verdict('yes', 'pass')
  const actual = actualOf(step, missed[0])
  const value = `no: ${missed[0] ?? ''}${actual === '' ? '' : ` (${actual})`}`
  const others = [...missed.slice(1).map((threshold) => [threshold, actualOf(step, threshold)].filter(Boolean).join(': ')), NOT_ALONE[limitedBy]].filter(Boolean)
  return { ...verdict(value, 'fail'), brief: `no: ${missed[0] ?? ''}`, detail: others.join(', ') }
}

/** Returns a step as texts for progress lines: achieved rate, p50, p99, and whether it passed. */
function stepCells (step) {
  const [achieved, p50, p99] = measuredIn(step)
  return [numbers.rate(achieved), inWords(p50, 'time'), inWords(p99, 'time'), judged(step).value]
}

function answer (search) {
  const { capacity, interval, limitedBy, limitingThreshold, isConfirmed } = search
  if (!(capacity > 0)) return noCapacity(search)
  const [low, high] = interval ?? [capacity, null]
  const rate = (value) => numbers.rate(value)
  const range = high === null ? 'or more' : `between ${rate(low)} and ${rate(high)}`
  const confirmed = isConfirmed ? 'confirmed by a longer run' : 'not confirmed'
  const found = `The capacity is ${isCutShort(search) ? 'at least ' : ''}${rate(capacity)} ${arrivalsOf(search)} per second (${range}, ${confirmed}).`
  if (limitedBy === 'maximum asked for') return `${found} That is the maximum rate of the search.`
  if (!limitedBy) return found
  const beyond = limitingThreshold ? `: beyond it, ${limitingThreshold} is not met` : ''
  return `${found} It is limited by ${whoLimits(limitedBy) ?? limitedBy}${beyond}.`
}

/** Describes the knee in relation to the capacity, which also depends on the SLO. */
function kneeBeside ({ capacity, knee, slo }, axis) {
  const { rate, beyond, reason } = knee
  const why = `${axis.beyond(beyond)} ${reasonBeyond(reason)}`
  if (rate > capacity) return `Beyond the capacity, the server kept up with ${axis.knee(knee)}, but did not meet the SLO (${slo.join(', ')}): ${why}.`
  if (rate === capacity) return `The capacity is also the knee: ${why}.`
  return `Below the capacity, latency is lowest in relation to throughput at up to ${axis.knee(knee)}, the knee: ${why}.`
}

// Whether the search ended early, so that higher rates might have passed too.
function isCutShort ({ warnings }) {
  return (warnings ?? []).some(({ code }) => ['STOPPED', 'OUT_OF_TIME', 'AGENT_LOST'].includes(code))
}

function figures (search, steps) {
  const { capacity, interval, limitedBy } = search
  const near = nearness(search)
  const best = steps.findLast(({ passed, rate }) => passed && rate === capacity)
  const failed = interval?.[1]
  const arrivals = arrivalsOf(search)
  const unit = arrivals === 'requests' ? '/s' : `${arrivals}/s`
  return [
    { name: 'Capacity', value: numbers.rate(capacity), unit, more: [near && `within ${near}`, countsInWords(best?.statuses)].filter(Boolean).join(' · ') },
    { name: 'Lowest failed rate', value: numbers.rate(failed), unit: failed != null ? unit : '', more: limitedBy ? `limited by: ${whoLimits(limitedBy) ?? limitedBy}` : '' },
    { name: 'Median latency', ...numbers.timeParts(best?.p50), more: 'at the capacity' },
    { name: 'p99 latency', ...numbers.timeParts(best?.p99), more: 'at the capacity' }
  ]
}

// The runs at each rate, in ascending order of rates.
function runsByRate (steps) {
  const rates = [...new Set(steps.map(({ rate }) => rate))].sort((a, b) => a - b)
  return rates.map((rate) => steps.filter((step) => step.rate === rate))
}

// Keeps one point per rate: the last run at that rate counts, as it does for the answer.
const pointsOf = (steps) => runsByRate(steps).map((runs) => runs.at(-1))

// All rates at the same distance, with their numbers: most of them are too close to the capacity to be told apart otherwise.
function rateAxis (points, capacity) {
  const labels = points.map(({ rate }) => numbers.rate(rate))
  return { scale: 'linear', min: 0.5, max: points.length + 0.5, isWhole: true, labels, label: `demanded ${arrivalsOf(capacity)} per second`, name: 'demanded', unit: '/s' }
}

const placesOf = (points) => points.map((_, index) => index + 1)

function capacityLine ({ capacity }, points) {
  const place = points.findIndex(({ rate }) => rate === capacity) + 1
  return place > 0 ? [{ x: place, label: `capacity ${numbers.rate(capacity)}/s`, color: 'soft' }] : []
}

const hollowOf = (points, field, color) => points.map((point, index) => ({ x: index + 1, y: point[field], color, passed: point.passed }))
  .filter(({ passed, y }) => !passed && y !== null).map(({ x, y, color }) => ({ x, y, color }))
const valuesOf = (points, field) => points.map((point) => point[field])

function throughput (capacity, steps) {
  const points = pointsOf(steps)
  if (points.length === 0) return null
  const rates = points.map(({ rate }) => rate)
  const achieved = valuesOf(points, 'achieved')
  return {
    id: 'achieved-by-rate',
    title: 'Demanded and achieved rate',
    note: 'One point for each rate. Hollow points are rates that did not pass.',
    summary: `Achieved against demanded rate, at ${points.length} rates from ${numbers.rate(rates[0])} to ` +
      `${numbers.rate(rates.at(-1))} ${arrivalsOf(capacity)} per second. The table of all steps has the numbers.`,
    chart: {
      height: 260,
      group: 'rate',
      x: rateAxis(points, capacity),
      y: { scale: 'log', ...logRange([...rates, ...achieved]), label: `achieved ${arrivalsOf(capacity)} per second (logarithmic)`, unit: '/s' },
      series: [
        { name: 'achieved', color: 'series-1', line: 'solid', hasPoints: true },
        { name: 'as demanded', color: 'soft', line: 'dashed' }
      ],
      data: [placesOf(points), achieved, rates],
      lines: capacityLine(capacity, points),
      hollow: hollowOf(points, 'achieved', 'series-1')
    }
  }
}

function latency (capacity, steps) {
  const points = pointsOf(steps)
  const series = [
    { name: 'p99', field: 'p99', color: 'series-2', line: 'solid', hasPoints: true },
    { name: 'p50', field: 'p50', color: 'series-4', line: 'solid', hasPoints: true }
  ]
  const values = series.map(({ field }) => valuesOf(points, field))
  if (values.flat().every((value) => value === null)) return null
  const limits = limitsOf(capacity)
  return {
    id: 'latency-by-rate',
    title: 'Latency against rate',
    summary: 'Latency against demanded rate: p50 and p99 at each rate tried. The table of all steps has the numbers.',
    chart: {
      height: 260,
      group: 'rate',
      x: rateAxis(points, capacity),
      y: { scale: 'log', ...logRange([...values.flat(), ...limits.map(({ y }) => y)]), label: 'latency (ms, logarithmic)', unit: 'ms' },
      series,
      data: [placesOf(points), ...values],
      lines: capacityLine(capacity, points),
      levels: limits,
      hollow: series.flatMap(({ field, color }) => hollowOf(points, field, color))
    }
  }
}

const LATENCY = /^(?:latency\.)?(?:p\d+(?:_\d+)?|mean|average|max)$/

// Returns the latency limits that the chart can show as horizontal lines.
function limitsOf ({ slo }) {
  return slo.flatMap((text) => {
    try {
      const [{ metric, operator, limit }] = parseThresholds(text)
      return LATENCY.test(metric) && operator.startsWith('<') && limit > 0 ? [{ y: limit, label: `SLO: ${text}`, color: 'bad' }] : []
    } catch {
      return []
    }
  })
}

function conditions ({ slo, precision, connections, seconds, target, reasons, environment }) {
  return [
    ['SLO', slo.join(', ')],
    ['Precision', precision !== null ? numbers.percent(precision) : ''],
    ['Connections', numbers.count(connections)],
    ['Estimated duration', seconds !== null ? `at most ${numbers.span(seconds)}` : ''],
    ['Target', (target?.url ?? []).join(', ')],
    ['Reasons for the limit', (reasons ?? []).join('; ')],
    ...provenance(environment)
  ]
}

module.exports = { capacityDocument, stepCells }
