'use strict'

const { chartFigure, durationAxis, linearRange, looks, section } = require('./chart')
const { wordsOfComparisons } = require('./glossary')
const { differenceTable, regressionTable } = require('./differences')
const { listed } = require('./lists')
const { studyOptions } = require('./conditions')
const { headOf, nounOfOptions } = require('../../words/noun')
const { html, shown, shownUrl } = require('./markup')
const numbers = require('../../words/numbers')
const { NOTHING_COMPARED, isEmpty, silenceInWords } = require('../study/nothing-compared')
const provenance = require('./provenance')
const table = require('./table')
const { regressionVerdict } = require('./thresholds')
const { studyWords } = require('./words')

/**
 * The page of a comparison.
 *
 * @param {object} comparison what `compare` resolves with
 * @param {{ title?: string, options?: object }} settings
 * @returns {object} for `renderPage`
 */
function comparisonPage (comparison, { title, options }) {
  const sides = listed(comparison.sides).map((side, index) => ({ ...side, name: shown(side.name ?? `Side ${index + 1}`), ...looks(index) }))
  const comparisons = comparisonsOf(comparison, sides)
  const noun = nounOfSides(sides)
  return {
    title: title ?? [sides[0]?.name, sides.slice(1).map(({ name }) => name).join(', ')].join(' against '),
    kind: 'comparison',
    lead: lead(comparison, sides),
    words: wordsOfComparisons(noun),
    parts: [
      { markup: html`${answers(comparison, comparisons).map((text) => html`<p class="answer">${text}</p>\n`)}` },
      studyWords(comparison.warnings),
      ...comparisons.map((one) => section(
        comparisons.length > 1 ? `${shown(one.name)} against ${shown(one.comparedWith)}` : 'Differences',
        differenceTable(one, comparison, noun),
        regressionTable(one)
      )),
      section('Round by round', rounds(comparison, sides, noun), roundTable(comparison, sides, noun)),
      section('Conditions', { markup: conditions(comparison, sides) }, studyOptions(comparison, options, sides.map(({ name }) => name)))
    ]
  }
}

const nounOfSides = (sides) => sides.every((side) => nounOfOptions(side) === 'message') ? 'message' : 'request'

// None where there is a side without a run: what stands there is about nothing.
function comparisonsOf (comparison, sides) {
  if (isEmpty(sides)) return []
  const all = listed(comparison.comparisons)
  return all.length > 0 ? all : [{ name: sides[1]?.name, comparedWith: sides[0]?.name, ...comparison }]
}

function lead ({ start, method, sides: given }, sides) {
  const runs = sides.map(({ name, runs }) => `${name}: ${numbers.count(runs)} runs`).join(', ')
  const what = [numbers.moment(start), runs, method && !isEmpty(sides) && shown(method)].filter(Boolean).join(' · ')
  const urls = [...new Set(listed(given).flatMap(({ url }) => [url].flat().filter(Boolean).map(shownUrl)))]
  return html`<p class="lead"><span class="url">${urls.join(' · ')}</span></p>
<p class="lead">${what}</p>
`
}

function answers (comparison, comparisons) {
  return comparisons.length === 0 ? [NOTHING_COMPARED] : comparisons.map((one) => answer(one, comparison))
}

function answer ({ name, comparedWith, verdict: found, regression, metrics }, { confidence }) {
  const [b, a] = [shown(name ?? ''), shown(comparedWith ?? '')]
  const sure = numbers.isNumber(confidence) ? ` (with ${numbers.percent(confidence)} confidence)` : ''
  const sentence = silenceInWords({ metrics }, a, b) ?? {
    faster: `${b} is faster than ${a}${sure}.`,
    slower: `${b} is slower than ${a}${sure}.`,
    mixed: `${b} is better than ${a} in some respects and worse in others${sure}.`
  }[found] ?? `No difference between ${a} and ${b} is shown.`
  return sentence + (ALLOWED[regressionOf(regression)] ?? '')
}

const ALLOWED = {
  failed: ' That is more than was allowed.',
  inconclusive: ' Whether that is more than was allowed cannot be told.'
}

// One of an earlier version has no verdict.
function regressionOf (regression) {
  return regression?.verdict ?? (regression?.passed === false ? 'failed' : undefined)
}

function rounds ({ runs }, sides, noun) {
  const all = listed(runs).filter(({ side, round }) => sides[side] && numbers.isNumber(round))
  const last = all.reduce((max, { round }) => Math.max(max, round), 0)
  if (last === 0) return null
  const xs = Array.from({ length: last + 1 }, (_, index) => index + 1)
  const valuesOf = (field) => sides.map((_, side) => xs.map((x) => {
    const value = all.find((run) => run.side === side && run.round === x - 1)?.[field]
    return numbers.isNumber(value) ? value : null
  }))
  const figure = (id, title, field, axisOf) => {
    const values = valuesOf(field)
    return chartFigure({
      id,
      title,
      summary: `${title}, of ${sides.length} sides in ${last + 1} rounds. The numbers stand in the table of all rounds.`,
      chart: {
        height: 220,
        group: 'round',
        x: { scale: 'linear', min: 0.5, max: last + 1.5, label: 'round', name: 'round', isWhole: true },
        y: axisOf(values),
        series: sides.map(({ name, color, line }) => ({ name, color, line, hasPoints: true, isJoined: true })),
        data: [xs, ...values]
      }
    })
  }
  return [
    figure('throughput-by-round', `${headOf(noun)} per second`, 'throughput', (values) => {
      return { scale: 'linear', ...linearRange(values.flat()), label: `${noun}s per second`, unit: '/s' }
    }),
    figure('p99-by-round', '99th percentile of the latency', 'p99', (values) => durationAxis(values, 'p99'))
  ]
}

function roundTable ({ runs }, sides, noun) {
  const all = listed(runs).filter(({ side }) => sides[side])
  if (all.length === 0) return null
  const show = numbers.durations(all.flatMap(({ p50, p99 }) => [p50, p99]))
  return {
    markup: table({
      caption: 'All rounds',
      isCaptionSeen: true,
      isStacked: true,
      head: ['Round', 'Side', `${headOf(noun)}/s`, 'p50 ms', 'p99 ms', 'Error rate'],
      kinds: ['text', 'text'],
      rows: all.map(({ side, round, throughput, p50, p99, errorRate }) => [
        numbers.isNumber(round) ? String(round + 1) : numbers.NOTHING,
        { content: sides[side].name, className: 'long' },
        numbers.rate(throughput),
        show(p50),
        show(p99),
        numbers.percent(errorRate)
      ])
    })
  }
}

function conditions ({ method, confidence, falseAlarmRate, passed, regressionVerdict: regressionFound, finish, start, environment }, sides) {
  const took = (new Date(finish) - new Date(start)) / 1000
  const howSure = [
    ['Method', shown(method ?? '')],
    ['Confidence', numbers.isNumber(confidence) ? numbers.percent(confidence) : ''],
    ['False alarms', falseAlarms(falseAlarmRate)]
  ]
  const rows = [
    ...sides.map(({ name, url, isSaved }) => {
      return [name, [...[url].flat().filter(Boolean).map(shownUrl), isSaved && 'measured before'].filter(Boolean).join(', ')]
    }),
    ...(isEmpty(sides) ? [] : howSure),
    ['Took', took > 0 ? numbers.span(took) : ''],
    ['Verdict', passed === undefined ? '' : regressionVerdict(regressionFound, passed).content],
    ...provenance(environment)
  ]
  return table({
    caption: 'The conditions of the comparison',
    head: ['Condition', 'Value'],
    isHeadHeard: true,
    kinds: ['text', 'text'],
    rows: rows.filter(([, value]) => value !== '')
      .map(([name, value]) => [{ content: name, className: 'long' }, { content: value, className: 'long' }])
  })
}

function falseAlarms (rate) {
  if (rate === null) return 'not known'
  return numbers.isNumber(rate) ? `in at most ${numbers.percent(rate)} of all comparisons of a server with itself` : ''
}

module.exports = comparisonPage
