'use strict'

const { chartFigure, logRange, section } = require('./chart')
const { wordsOfStudies } = require('./glossary')
const { listed } = require('./lists')
const { figure } = require('./headline-figures')
const { studyOptions } = require('./conditions')
const { html, shown, shownUrl } = require('./markup')
const numbers = require('../../words/numbers')
const { arrivalsOf, nounOfArrivals } = require('../study/arrivals')
const { actualOf, nearness, noCapacity, whoLimits } = require('../study/capacity-words')
const { parseThresholds } = require('../../thresholds')
const provenance = require('./provenance')
const table = require('./table')
const { verdict } = require('./thresholds')
const { studyWords } = require('./words')

/**
 * The page of a search for the capacity.
 *
 * @param {object} capacity what `findCapacity` resolves with
 * @param {{ title?: string, options?: object }} settings
 * @returns {object} for `renderPage`
 */
function capacityPage (capacity, { title, options }) {
  const steps = listed(capacity.steps).filter(({ rate }) => numbers.isNumber(rate))
  return {
    title: title ?? `Capacity of ${shown(capacity.target?.name ?? 'the server')}`,
    kind: 'search for the capacity',
    lead: lead(capacity),
    words: wordsOfStudies(nounOfArrivals(arrivalsOf(capacity)), arrivalsOf(capacity)),
    parts: [
      { markup: html`<p class="answer">${answer(capacity)}</p>\n` },
      { markup: figures(capacity, steps) },
      studyWords(capacity.warnings),
      section('Rates tried', throughput(capacity, steps), latency(capacity, steps), stepTable(steps, arrivalsOf(capacity))),
      section('Conditions', { markup: conditions(capacity) }, studyOptions(capacity, options))
    ]
  }
}

function lead ({ target, start, finish, steps, slo }) {
  const took = (new Date(finish) - new Date(start)) / 1000
  const what = [
    numbers.moment(start),
    took > 0 && numbers.span(took),
    `${listed(steps).length} runs`,
    Array.isArray(slo) && `asked for: ${slo.map(shown).join(', ')}`
  ].filter(Boolean).join(' · ')
  return html`<p class="lead"><span class="url">${[target?.url].flat().filter(Boolean).map(shownUrl).join(', ')}</span></p>
<p class="lead">${what}</p>
`
}

const COULD_NO_MORE = {
  server: 'It was the server that could do no more.',
  generator: 'It was the load generator that could do no more.',
  connections: 'There were too few connections for more.'
}

function answer (search) {
  const { capacity, limitedBy, limitingThreshold, interval, isConfirmed } = search
  if (!(capacity > 0)) return noCapacity(search, shown)
  const failed = Array.isArray(interval) && numbers.isNumber(interval[1]) ? numbers.rate(interval[1]) : null
  const why = limitingThreshold ? `, where ${shown(limitingThreshold)} was not met` : ''
  const can = `${numbers.rate(capacity)} ${arrivalsOf(search)} per second${isConfirmed === false ? ', not confirmed by a longer run' : ''}`
  if (limitedBy === 'maximum asked for') return `It takes ${can}: the most that was asked for. It may take more.`
  if (failed === null) return `It takes at least ${can}.`
  return `It takes ${can}, but not ${failed}${why}. ${COULD_NO_MORE[limitedBy] ?? ''}`.trim()
}

function figures (search, steps) {
  const { capacity, interval, limitedBy } = search
  const near = nearness(search)
  const who = limitedBy ? `limited by: ${whoLimits(limitedBy) ?? shown(limitedBy)}` : ''
  const best = steps.findLast(({ passed, rate }) => passed && rate === capacity)
  const all = [
    { name: 'Capacity', value: numbers.rate(capacity), unit: '/s', more: near ? `within ${near}` : '' },
    { name: 'Lowest that failed', ...lowestFailed(interval), more: who },
    { name: 'Median there', ...numbers.timeParts(best?.p50), more: 'at the capacity' },
    { name: 'p99 there', ...numbers.timeParts(best?.p99), more: 'at the capacity' }
  ]
  return html`<dl class="figures four">\n${all.map(figure)}</dl>\n`
}

function lowestFailed (interval) {
  return numbers.isNumber(interval?.[1]) ? { value: numbers.rate(interval[1]), unit: '/s' } : { value: numbers.NOTHING, unit: '' }
}

// One point a rate: the last run at it counts, as it does for the answer.
function pointsOf (steps) {
  return [...new Map(steps.map((step) => [step.rate, step])).values()].sort((a, b) => a.rate - b.rate)
}

function axisOf (points, capacity) {
  return { scale: 'log', ...logRange(points.map(({ rate }) => rate)), label: `demanded ${arrivalsOf(capacity)} per second (logarithmic)`, name: 'demanded', unit: '/s' }
}

function capacityLine ({ capacity }) {
  return capacity > 0 ? [{ x: capacity, label: `capacity ${numbers.rate(capacity)}/s`, color: 'soft' }] : []
}

const hollowOf = (points, field, color) => points.filter((point) => !point.passed && numbers.isNumber(point[field]))
  .map((point) => ({ x: point.rate, y: point[field], color }))
const valuesOf = (points, field) => points.map((point) => numbers.isNumber(point[field]) ? point[field] : null)

function throughput (capacity, steps) {
  const points = pointsOf(steps)
  if (points.length === 0) return null
  const rates = points.map(({ rate }) => rate)
  const achieved = valuesOf(points, 'achieved')
  return chartFigure({
    id: 'achieved-by-rate',
    title: 'Demanded and achieved rate',
    note: 'A hollow point is a rate that did not pass.',
    summary: `Achieved against demanded rate, at ${points.length} rates from ${numbers.rate(rates[0])} to ` +
      `${numbers.rate(rates.at(-1))} ${arrivalsOf(capacity)} per second. The numbers stand in the table of all steps.`,
    chart: {
      height: 260,
      group: 'rate',
      x: axisOf(points, capacity),
      y: { scale: 'log', ...logRange([...rates, ...achieved]), label: `achieved ${arrivalsOf(capacity)} per second (logarithmic)`, unit: '/s' },
      series: [
        { name: 'achieved', color: 'series-1', line: 'solid', hasPoints: true },
        { name: 'as demanded', color: 'soft', line: 'dashed' }
      ],
      data: [rates, achieved, rates],
      lines: capacityLine(capacity),
      hollow: hollowOf(points, 'achieved', 'series-1')
    }
  })
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
  return chartFigure({
    id: 'latency-by-rate',
    title: 'Latency against rate',
    summary: 'Latency against demanded rate: p50 and p99 at each rate tried. The numbers stand in the table of all steps.',
    chart: {
      height: 260,
      group: 'rate',
      x: axisOf(points, capacity),
      y: { scale: 'log', ...logRange([...values.flat(), ...limits.map(({ y }) => y)]), label: 'latency (ms, logarithmic)', unit: 'ms' },
      series,
      data: [points.map(({ rate }) => rate), ...values],
      lines: capacityLine(capacity),
      levels: limits,
      hollow: series.flatMap(({ field, color }) => hollowOf(points, field, color))
    }
  })
}

const LATENCY = /^(?:latency\.)?(?:p\d+(?:_\d+)?|mean|average|max)$/

// What was asked of the latency, as far as it is a level in the chart.
function limitsOf ({ slo }) {
  return (Array.isArray(slo) ? slo : []).flatMap((text) => {
    try {
      const [{ metric, operator, limit }] = parseThresholds(text)
      return LATENCY.test(metric) && operator.startsWith('<') && limit > 0 ? [{ y: limit, label: `asked for: ${shown(text)}`, color: 'bad' }] : []
    } catch {
      return []
    }
  })
}

function stepTable (steps, arrivals) {
  if (steps.length === 0) return null
  const show = numbers.durations(steps.map(({ p50 }) => p50))
  return {
    markup: table({
      caption: `All steps, in the order in which they were made${arrivals === 'requests' ? '' : `; demanded and achieved are ${arrivals} per second`}`,
      isCaptionSeen: true,
      isStacked: true,
      head: ['Step', 'Why', 'Demanded/s', 'Achieved/s', 'p50 ms', 'p99 ms', 'Errors', 'Seconds', 'Verdict', 'Not met'],
      kinds: ['text', 'text', ...Array(6).fill('number'), 'text', 'text'],
      rows: steps.map((step, index) => [
        String(index + 1),
        shown(step.phase ?? ''),
        numbers.rate(step.rate),
        numbers.rate(step.achieved),
        show(step.p50),
        show(step.p99),
        { content: numbers.count(step.errors), className: step.errors > 0 ? 'fail' : '' },
        numbers.tenths(step.duration),
        verdict(step.passed === true),
        { content: notMet(step), className: 'long' }
      ])
    })
  }
}

const NOT_ALONE = { generator: "the load generator's limit", connections: 'too few connections', both: 'the load generator was saturated as well' }

function notMet (step) {
  const { missed, limitedBy, passed } = step
  if (passed === true) return ''
  const withActual = (threshold) => [threshold, actualOf(step, threshold)].filter(Boolean).join(': ')
  const what = (Array.isArray(missed) ? missed : []).map((threshold) => shown(withActual(threshold))).join(', ')
  return NOT_ALONE[limitedBy] ? `${what} (${NOT_ALONE[limitedBy]})` : what
}

function conditions ({ slo, precision, connections, seconds, target, reasons, environment }) {
  const rows = [
    ['Asked for', (Array.isArray(slo) ? slo : []).map(shown).join(', ')],
    ['Precision asked for', numbers.isNumber(precision) ? numbers.percent(precision) : ''],
    ['Connections', numbers.count(connections)],
    ['Announced', numbers.isNumber(seconds) ? `at most ${numbers.span(seconds)}` : ''],
    ['Target', [target?.url].flat().filter(Boolean).map(shownUrl).join(', ')],
    ['What limited it', (Array.isArray(reasons) ? reasons : []).map(shown).join('; ')],
    ...provenance(environment)
  ]
  return table({
    caption: 'The conditions of the search',
    head: ['Condition', 'Value'],
    isHeadHeard: true,
    kinds: ['text', 'text'],
    rows: rows.filter(([, value]) => value !== '')
      .map(([name, value]) => [{ content: name, className: 'short' }, { content: value, className: 'long' }])
  })
}

module.exports = capacityPage
