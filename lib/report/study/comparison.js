'use strict'

const format = require('../../words/numbers')
const { caption } = require('../summary')
const { fit } = require('../tables')
const { clean } = require('../text')
const { NOTHING_COMPARED, isEmpty, silenceInWords } = require('./nothing-compared')
const { letter, warnings, note, warning, error } = require('./words')

const { THOUSANDFOLD, percent } = format

const LABELS = {
  throughput: 'Throughput',
  p50: 'Latency p50',
  p99: 'Latency p99',
  errorRate: 'Error rate',
  eventRate: 'Events',
  firstEventP50: 'First event p50',
  firstEventP99: 'First event p99',
  gapP50: 'Event gap p50',
  gapP99: 'Event gap p99'
}
// Latency goes first: it is what a user feels.
const SHORT_LABELS = {
  firstEventP50: 'first event p50',
  firstEventP99: 'first event p99',
  gapP50: 'gap p50',
  gapP99: 'gap p99',
  p50: 'p50',
  p99: 'p99',
  throughput: 'throughput',
  eventRate: 'events',
  errorRate: 'errors'
}

/**
 * A comparison as the blocks of a report: a table for each side that was compared with the first, and what they say.
 *
 * @param {object} comparison
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: object[] }}
 */
function comparisonReport (comparison, style) {
  const { sides, comparisons, start } = comparison
  return {
    heading: [...sides.map(sideInWords), caption({ start })].filter(Boolean),
    tables: isEmpty(sides) ? [] : comparisons.map(({ metrics }, index) => table(metrics, letter(index + 1), comparison, style)),
    paragraphs: [
      ...(isEmpty(sides) ? [note(NOTHING_COMPARED)] : comparisons.map((each, index) => verdict(each, letter(index + 1)))),
      ...comparisons.flatMap(({ regression }, index) => regressionOf(regression, letter(index + 1))),
      ...howSure(comparison),
      ...warnings(comparison)
    ]
  }
}

function sideInWords ({ name, url, runs }, index) {
  const where = caption({ url })
  return `${letter(index)}: ${clean(name)} (${format.counted(runs, 'run')})${where === '' ? '' : `: ${where}`}`
}

function table (metrics, name, { confidence }, style) {
  const head = ['', 'A', name, 'Difference', `${percent(confidence)} interval`, 'Verdict']
  const rows = Object.entries(metrics).map(([metric, { a, b, unit, difference, scale, interval, verdict, atLeast = [] }]) => [
    LABELS[metric] ?? clean(metric),
    value(a, unit, atLeast.includes('a')),
    value(b, unit, atLeast.includes('b')),
    change(difference, scale),
    interval === null ? format.NOTHING : shownInterval(interval, scale),
    verdict === 'no difference shown' ? 'none shown' : clean(verdict)
  ])
  return fit([{}, { tight: true }], style, () => ({ head, rows }))
}

function shownInterval ([low, high], scale) {
  const shown = [change(low, scale), high === null || high >= THOUSANDFOLD ? 'more' : change(high, scale)]
  return scale === 'absolute' ? shown.join(' … ').replace(' pp', '') : shown.join(' … ')
}

// The difference of two shares is in percentage points.
function change (share, scale, signed = true) {
  return percent(share, { signed, unit: scale === 'absolute' ? ' pp' : '%' })
}

function value (number, unit, isBound) {
  if (number === null) return format.NOTHING
  if (unit === 'ms') return format.atLeast(format.time(number), isBound)
  return unit === 'share' ? percent(number) : `${format.rate(number)}/s`
}

function verdict ({ verdict, metrics }, name) {
  const silence = silenceInWords({ metrics }, 'A', name)
  if (silence !== null) return note(silence)
  if (verdict === 'faster' || verdict === 'slower') return note(`${name} is ${verdict} than A${figures(metrics, verdict)}.`)
  if (verdict === 'mixed') {
    const of = (wanted) => Object.entries(metrics).filter(([, metric]) => metric.verdict === wanted).map(([metric]) => (LABELS[metric] ?? clean(metric)).toLowerCase()).join(', ')
    return note(`${name} is faster than A in ${of('faster')}, and slower in ${of('slower')}.`)
  }
  const known = Object.entries(metrics).filter(([, { smallestDifference }]) => smallestDifference !== null)
  if (known.length === 0) return note(`No difference between A and ${name} is shown.`)
  const seen = known.map(([metric, { smallestDifference }]) => `${(LABELS[metric] ?? clean(metric)).toLowerCase()} ${percent(smallestDifference)}`).join(', ')
  return note(`No difference between A and ${name} is shown. The smallest that could have been: ${seen}.`)
}

// ': p50 +45% (30% to 61%), throughput …'
function figures (metrics, wanted) {
  const shown = Object.keys(SHORT_LABELS).filter((metric) => Object.hasOwn(metrics, metric) && metrics[metric].verdict === wanted)
    .filter((metric) => format.isNumber(metrics[metric].difference) && Array.isArray(metrics[metric].interval))
  if (shown.length === 0) return ''
  return ': ' + shown.map((metric) => figure(SHORT_LABELS[metric], metrics[metric])).join(', ')
}

function figure (label, { difference, scale, interval: [low, high] }) {
  const bound = (share) => change(share, scale, false)
  return `${label} ${change(difference, scale)} (${bound(low)} to ${high === null || high >= THOUSANDFOLD ? 'more' : bound(high)})`
}

function regressionOf (regression, name) {
  if (!regression) return []
  return regression.checks.map((check) => {
    const label = LABELS[check.metric] ?? clean(check.metric)
    switch (verdictOf(check)) {
      case 'passed': return note(`Regression check passed: ${label} of ${name} is ${passedInWords(check)}.`)
      case 'failed': return error(`Regression check FAILED: ${failedInWords(check, label, name)}.`)
      default: return warning(`Regression check INCONCLUSIVE: ${inconclusiveInWords(check, label, name)}.`)
    }
  })
}

// A check of an earlier version has no verdict, and may have been passed since nothing could be shown.
function verdictOf ({ verdict, passed, smallestDifference, limit }) {
  if (verdict !== undefined) return verdict
  if (!passed) return 'failed'
  return smallestDifference > limit ? 'inconclusive' : 'passed'
}

function passedInWords ({ verdict, limit }) {
  const how = verdict === undefined ? 'not shown to be more than' : 'shown to be no more than'
  return `${how} ${percent(limit)} worse than that of A`
}

function failedInWords ({ regression, limit, smallestDifference }, label, name) {
  if (smallestDifference === null && regression === null) return `too little was measured to compare the ${label} of ${name} with that of A`
  const by = regression === null ? 'worse by any measure' : `${percent(regression)} worse`
  return `${label} of ${name} is ${by} than that of A, and ${percent(limit)} is allowed`
}

function inconclusiveInWords (check, label, name) {
  const { limit, interval, smallestDifference } = check
  if (check.verdict === undefined) {
    return `${label} of ${name} is not shown to be more than ${percent(limit)} worse than that of A, but ${unseen(smallestDifference)} could not have been`
  }
  if (!Array.isArray(interval)) return `too little was measured to compare the ${label} of ${name} with that of A${neededInWords(check)}`
  if (check.needed === null && interval[1] !== null && interval[1] <= limit) {
    return `${label} of ${name} is no more than ${percent(limit)} worse than that of A in what was measured, but runs were lost, cut short or not answered`
  }
  const [least, most] = [worseInWords(interval[0], -1), worseInWords(interval[1], 1)]
  return `${label} of ${name} may be from ${least} to ${most} than that of A, and ${percent(limit)} is allowed${neededInWords(check)}`
}

function worseInWords (share, sign) {
  if (share === null) return sign > 0 ? 'any number of times worse' : 'any number of times better'
  return share < 0 ? `${percent(-share)} better` : `${percent(share)} worse`
}

function neededInWords ({ needed }) {
  if (format.isNumber(needed?.rounds)) return `; about ${format.counted(needed.rounds, 'more round')} would settle it`
  if (format.isNumber(needed?.seconds)) return `; runs that are about ${format.counted(needed.seconds, 'second')} longer would settle it`
  return '; no number of rounds can be named that would settle it'
}

function unseen (smallestDifference) {
  return smallestDifference < THOUSANDFOLD ? `less than ${percent(smallestDifference)}` : 'even 1,000-fold'
}

function howSure ({ sides, confidence, falseAlarmRate, method }) {
  if (isEmpty(sides)) return []
  const all = `All intervals of this comparison hold together with ${percent(confidence)} confidence (${clean(method)})`
  if (falseAlarmRate === null) return [note(`${all}, as far as a single run can tell.`)]
  return [note(`${all}: a server compared with itself is called different in at most ${percent(falseAlarmRate)} of all comparisons.`)]
}

module.exports = comparisonReport
