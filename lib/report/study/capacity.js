'use strict'

const { actualInWords } = require('../../thresholds/words')
const numbers = require('../../words/numbers')
const { parseThresholds } = require('../../thresholds')
const { logRange } = require('../axes')
const { bad, bounded, inWords, note, verdict, warningsOf } = require('../document')
const { countsInWords } = require('../failures')
const { wordsOfSweeps } = require('../glossary')
const provenance = require('../provenance')
const { caption } = require('../summary')
const { cleanName } = require('../text')
const { axisOf, nounOfArrivals, placeOf, rateHead } = require('./axis')
const { cpuCells, cpuColumns } = require('./monitored')
const { reasonBeyond } = require('./sweep')

/** Converts a capacity search to a document. @param {object} search what `findCapacity` resolves with */
function capacityDocument (search) {
  const { knee, start, finish, options } = search
  const [target, slo] = [search.target ?? { name: 'the server', url: [] }, search.slo]
  const steps = search.steps.filter((step) => placeOf(step) !== null).map((step) => ({ ...step, at: placeOf(step) }))
  const axis = axisOf(search)
  const remarks = knee && placeOf(knee) !== null ? [kneeBeside(search, axis)] : []
  const took = (new Date(finish) - new Date(start)) / 1000
  return {
    title: `Capacity of ${target.name || 'the server'}`,
    kind: 'capacity search',
    heading: [`${target.name}, SLO: ${slo.join(', ')}`, caption({ url: target.url, start })],
    lead: {
      urls: target.url ?? [],
      facts: [numbers.moment(start), took > 0 && numbers.span(took), `${steps.length} runs`, slo.length > 0 && `SLO: ${slo.join(', ')}`]
    },
    words: wordsOfSweeps(nounOfArrivals(axis.arrivals), axis),
    answer: [note(answer(search, axis))],
    remarks: remarks.map(note),
    warnings: warningsOf(search),
    figures: figures(search, steps, axis),
    sections: [{
      title: `${axis.plural[0].toUpperCase()}${axis.plural.slice(1)} tried`,
      parts: [{ chart: throughput(search, steps, axis) }, { chart: latency(search, steps, axis) }, { list: remarks }, { table: placeTable(steps, axis) }, { table: stepTable(steps, axis) }]
    }],
    conditions: conditions(search, axis),
    options
  }
}

/** The results at each value of the axis: those of its last run, which counts for the answer, and the verdicts of all of its runs. */
function placeTable (steps, axis) {
  return {
    only: 'page',
    caption: `${axis.caption}, of its last run${axis.ofRates}`,
    isCaptionSeen: true,
    columns: [axis.column, { name: 'Achieved', of: 'rate' }, { name: 'p50', of: 'time' }, { name: 'p99', of: 'time' }, { name: 'Runs' }, { name: 'Passed' }],
    rows: runsByPlace(steps).map((runs) => {
      const last = runs.at(-1)
      return [last.at, ...measuredIn(last), { value: runs.map(verdictOfRun).join(', '), className: 'short' }, judged(last)]
    })
  }
}

const verdictOfRun = ({ passed, phase }) => `${passed ? 'passed' : 'failed'}${phase === 'confirm' ? ' (longer)' : ''}`

function stepTable (steps, axis) {
  return {
    caption: `All steps, in the order they were run${axis.ofRates}`,
    isCaptionSeen: true,
    folded: `${numbers.counted(steps.length, 'run')}, in order`,
    columns: [
      { name: 'Step', only: 'page' },
      { ...axis.column, ...(axis.isOfRates && { short: rateHead(axis.arrivals, 'Rate') }) },
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
      String(index + 1), step.at, step.phase, ...measuredIn(step), bad(step.failures ?? step.errors), numbers.tenths(step.duration), ...cpuCells(step, steps), judged(step)
    ])
  }
}

const measuredIn = (step) => [step.achieved, bounded(step, 'p50'), bounded(step, 'p99')]
const NOT_ALONE = { generator: "the load generator's limit", connections: 'too few connections', both: 'the load generator was saturated as well' }

// For a step that did not pass, shows the deciding value, which may be in none of the other columns: 'no: 5xx < 1%
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
  return [numbers.rate(achieved), inWords(p50, 'time'), inWords(p99, 'time'), cleanName(judged(step).value)]
}

function answer (search, axis) {
  const { capacity, interval, limitedBy, limitingThreshold, isConfirmed } = search
  if (!(capacity > 0)) return noCapacity(search)
  const [low, high] = interval ?? [capacity, null]
  const range = high === null ? 'or more' : `between ${axis.number(low)} and ${axis.number(high)}`
  const confirmed = isConfirmed ? 'confirmed by a longer run' : 'not confirmed'
  const found = `The capacity is ${isCutShort(search) ? 'at least ' : ''}${axis.inWords(capacity)} (${range}, ${confirmed}).`
  if (limitedBy === 'maximum asked for') return `${found} That is the maximum ${axis.noun} of the search.`
  if (!limitedBy) return found
  const beyond = limitingThreshold ? `: beyond it, ${limitingThreshold} is not met` : ''
  return `${found} It is limited by ${whoLimits(limitedBy) ?? limitedBy}${beyond}.`
}

/** Describes the knee in relation to the capacity, which also depends on the SLO. */
function kneeBeside ({ capacity, knee, slo }, axis) {
  const { beyond, reason } = knee
  const why = `${axis.beyond(beyond)} ${reasonBeyond(reason)}`
  if (placeOf(knee) > capacity) return `Beyond the capacity, the server ${axis.copedWith} ${axis.knee(knee)}, but did not meet the SLO (${slo.join(', ')}): ${why}.`
  if (placeOf(knee) === capacity) return `The capacity is also the knee: ${why}.`
  return `Below the capacity, latency is lowest in relation to throughput ${axis.preposition} up to ${axis.knee(knee)}, the knee: ${why}.`
}

// Whether the search ended early, so that higher rates might have passed too.
function isCutShort ({ warnings }) {
  return (warnings ?? []).some(({ code }) => ['STOPPED', 'OUT_OF_TIME', 'AGENT_LOST'].includes(code))
}

function figures (search, steps, axis) {
  const { capacity, interval, limitedBy } = search
  const near = nearness(search)
  const best = steps.findLast(({ passed, at }) => passed && at === capacity)
  const failed = interval?.[1]
  const { arrivals, isOfRates } = axis
  const unit = arrivals === 'requests' ? '/s' : `${arrivals}/s`
  const more = [!isOfRates && best && `${numbers.rate(best.achieved)} ${unit}`, near && `within ${near}`, countsInWords(best?.statuses)]
  const unitOf = (value) => isOfRates ? unit : value === 1 ? 'connection' : 'connections'
  return [
    { name: 'Capacity', value: axis.number(capacity), unit: unitOf(capacity), more: more.filter(Boolean).join(' · ') },
    { name: `Lowest failed ${axis.noun}`, value: axis.number(failed), unit: failed != null && isOfRates ? unit : '', more: limitedBy ? `limited by: ${whoLimits(limitedBy) ?? limitedBy}` : '' },
    { name: 'Median latency', ...numbers.timeParts(best?.p50), more: 'at the capacity' },
    { name: 'p99 latency', ...numbers.timeParts(best?.p99), more: 'at the capacity' }
  ]
}

// The runs at each value of the axis, in ascending order.
function runsByPlace (steps) {
  const places = [...new Set(valuesOf(steps, 'at'))].sort((a, b) => a - b)
  return places.map((place) => steps.filter(({ at }) => at === place))
}

// Keeps one point per value of the axis: the last run there counts, as it does for the answer.
const pointsOf = (steps) => runsByPlace(steps).map((runs) => runs.at(-1))

// All values at the same distance, with their numbers: most of them are too close to the capacity to be told apart otherwise.
function xAxis (points, axis) {
  return { scale: 'linear', min: 0.5, max: points.length + 0.5, isWhole: true, labels: points.map(({ at }) => axis.number(at)), ...axis.x }
}

const placesOf = (points) => points.map((_, index) => index + 1)

function capacityLine ({ capacity }, points, axis) {
  const place = points.findIndex(({ at }) => at === capacity) + 1
  return place > 0 ? [{ x: place, label: `capacity ${axis.ofLine(capacity)}`, color: 'soft' }] : []
}

const hollowOf = (points, field, color) => points.map((point, index) => ({ x: index + 1, y: point[field], color, passed: point.passed }))
  .filter(({ passed, y }) => !passed && y !== null).map(({ x, y, color }) => ({ x, y, color }))
const valuesOf = (points, field) => points.map((point) => point[field])

function throughput (search, steps, axis) {
  const points = pointsOf(steps)
  if (points.length === 0) return null
  const values = valuesOf(points, 'at')
  const achieved = valuesOf(points, 'achieved')
  const demanded = axis.isOfRates ? [{ name: 'as demanded', color: 'soft', line: 'dashed' }] : []
  const ideal = demanded.map(() => values)
  return {
    id: 'achieved-by-rate',
    title: axis.throughputTitle,
    note: `One point for each ${axis.noun}. Hollow points are ${axis.plural} that did not pass.`,
    summary: `${axis.throughputSummary}, ${axis.preposition} ${axis.steps(values)}. The table of all steps has the numbers.`,
    chart: {
      height: 260,
      group: 'rate',
      x: xAxis(points, axis),
      y: { scale: 'log', ...logRange([...ideal.flat(), ...achieved]), label: `achieved ${axis.arrivals} per second (logarithmic)`, unit: '/s' },
      series: [{ name: 'achieved', color: 'series-1', line: 'solid', hasPoints: true }, ...demanded],
      data: [placesOf(points), achieved, ...ideal],
      lines: capacityLine(search, points, axis),
      hollow: hollowOf(points, 'achieved', 'series-1')
    }
  }
}

function latency (search, steps, axis) {
  const points = pointsOf(steps)
  const series = [
    { name: 'p99', field: 'p99', color: 'series-2', line: 'solid', hasPoints: true },
    { name: 'p50', field: 'p50', color: 'series-4', line: 'solid', hasPoints: true }
  ]
  const values = series.map(({ field }) => valuesOf(points, field))
  if (values.flat().every((value) => value === null)) return null
  const limits = limitsOf(search)
  return {
    id: 'latency-by-rate',
    title: axis.latencyTitle,
    summary: `${axis.latencySummary}: p50 and p99 ${axis.preposition} each ${axis.noun} tried. The table of all steps has the numbers.`,
    chart: {
      height: 260,
      group: 'rate',
      x: xAxis(points, axis),
      y: { scale: 'log', ...logRange([...values.flat(), ...limits.map(({ y }) => y)]), label: 'latency (ms, logarithmic)', unit: 'ms' },
      series,
      data: [placesOf(points), ...values],
      lines: capacityLine(search, points, axis),
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

function conditions ({ slo, precision, connections, seconds, target, reasons, environment }, { isOfRates }) {
  return [
    ['SLO', slo.join(', ')],
    ['Precision', precision !== null ? numbers.percent(precision) : ''],
    ...(isOfRates ? [['Connections', numbers.count(connections)]] : []),
    ['Estimated duration', seconds !== null ? `at most ${numbers.span(seconds)}` : ''],
    ['Target', (target?.url ?? []).join(', ')],
    ['Reasons for the limit', (reasons ?? []).join('; ')],
    ...provenance(environment)
  ]
}

/** Explains in a sentence why a capacity search found no capacity. @param {object} search @returns {string} */
function noCapacity (search) {
  const { interval, steps: all, limitingThreshold } = search
  const { beyond, inWords, noun, preposition } = axisOf(search)
  const high = interval?.[1] ?? null
  if (high === null) return 'The capacity is unknown: the search ended before its first run was complete.'
  if (all.length > 0 && all.every(({ completed }) => completed === 0)) return `There were no responses, not even ${preposition} ${inWords(high)}.`
  const why = limitingThreshold ? ` (${limitingThreshold} was not met)` : ''
  const passed = all.filter((step) => step.passed).map(placeOf)
  if (passed.length === 0) return `No ${noun} passed: even ${inWords(high)} failed${why}.`
  return `No sustainable ${noun} was found: short runs passed ${preposition} up to ${inWords(Math.max(...passed))}, but longer ones failed even ${beyond(high)}${why}.`
}

/**
 * Returns how far the lowest failed rate is above the capacity: '4.2%', rounded up.
 *
 * @returns {string} empty if no rate failed, or none passed
 */
function nearness ({ capacity, interval }) {
  const high = interval?.[1]
  if (!(capacity > 0) || high == null) return ''
  return numbers.percent(Math.ceil((high / capacity - 1) * 1000 - 1e-9) / 1000)
}

const LIMITS = {
  server: 'the server',
  generator: 'the load generator',
  connections: 'the number of connections'
}

/** Returns what limited the capacity, in words: 'the server'. */
function whoLimits (limitedBy) {
  return Object.hasOwn(LIMITS, limitedBy) ? LIMITS[limitedBy] : null
}

/**
 * Returns the actual value for a threshold that a step did not pass.
 *
 * @param {object} step steps from earlier versions have no verdicts
 * @param {string} threshold
 * @returns {string} '132 ms', '≥ 3,506 ms' if it is only a lower bound, '' if there is no value
 */
function actualOf ({ verdicts }, threshold) {
  const verdict = verdicts?.find((each) => each.threshold === threshold && each.passed !== true)
  if (verdict?.actual == null) return ''
  return numbers.atLeast(actualInWords(verdict), Boolean(verdict.unanswered))
}

module.exports = { capacityDocument, stepCells, nearness }
