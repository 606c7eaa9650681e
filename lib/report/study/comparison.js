'use strict'

const numbers = require('../../words/numbers')
const { headOf, nounOfOptions } = require('../../words/noun')
const { durationAxis, linearRange, looks } = require('../axes')
const { functionCells } = require('../diagnosis')
const { countsInWords } = require('../failures')
const { error, letter, note, verdict, warning, warningsOf } = require('../document')
const { wordsOfComparisons } = require('../glossary')
const provenance = require('../provenance')
const { caption } = require('../summary')
const { cpuCells, cpuColumns, meanCpu } = require('./monitored')
const { NOTHING_COMPARED, isEmpty, silenceInWords } = require('./nothing-compared')

const { THOUSANDFOLD, isNumber, percent } = numbers

const LABELS = {
  throughput: 'Throughput',
  p50: 'Latency p50',
  p99: 'Latency p99',
  errorRate: 'Failure rate',
  eventRate: 'Events',
  firstEventP50: 'First event p50',
  firstEventP99: 'First event p99',
  gapP50: 'Event gap p50',
  gapP99: 'Event gap p99'
}
// Latency comes first, since users feel it.
const SHORT_LABELS = {
  firstEventP50: 'first event p50',
  firstEventP99: 'first event p99',
  gapP50: 'gap p50',
  gapP99: 'gap p99',
  p50: 'p50',
  p99: 'p99',
  throughput: 'throughput',
  eventRate: 'events',
  errorRate: 'failures'
}

/**
 * Converts a comparison to a document: a table for each side that is compared with the first, and the conclusions.
 *
 * @param {object} comparison what `compare` resolves with
 * @param {{ isBrief?: boolean }} settings whether sentences use the servers' letters instead of names
 */
function comparisonDocument (comparison, { isBrief = false }) {
  const { start, method, confidence, options, warnings } = comparison
  const sides = comparison.sides.map((side, index) => {
    const cpu = meanCpu((comparison.runs ?? []).filter((run) => run.side === index))
    return { ...side, name: side.name || `Side ${index + 1}`, cpu, ...looks(index) }
  })
  const pairs = pairsOf(comparison, sides, isBrief)
  const noun = sides.every((side) => nounOfOptions({ ...side, url: side.url ?? [] }) === 'message') ? 'message' : 'request'
  const runs = sides.map((side) => `${side.name}: ${runsOf(side)}`)
  return {
    title: [sides[0]?.name, sides.slice(1).map(({ name }) => name).join(', ')].join(' against '),
    kind: 'comparison',
    heading: [...sides.map(sideInWords), caption({ start })],
    lead: { urls: [...new Set(sides.flatMap(({ url }) => url ?? []))], facts: [numbers.moment(start), ...runs, !isEmpty(sides) && method] },
    words: wordsOfComparisons(noun),
    answer: isEmpty(sides) ? [note(NOTHING_COMPARED)] : pairs.map(verdictInWords),
    checks: pairs.flatMap(regressionOf),
    remarks: howSure(comparison),
    warnings: warningsOf({ warnings }),
    sections: [
      ...pairs.map((pair) => ({ title: pairs.length > 1 ? `${pair.name} against ${pair.comparedWith}` : 'Differences', parts: [{ table: differences(pair, confidence, noun) }, { table: hotTable(pair, noun) }, { table: regressions(pair) }] })),
      { title: 'Round by round', parts: [...rounds(comparison, sides, noun), { table: roundTable(comparison, sides, noun) }] }
    ],
    conditions: conditions(comparison, sides),
    names: sides.map(({ name }) => name),
    options
  }
}

// Returns no pairs if a side has no run, since there is nothing to compare. Earlier versions stored a single comparison
// in the answer itself.
function pairsOf ({ comparisons, ...only }, sides, isBrief) {
  if (isEmpty(sides)) return []
  const all = comparisons.length > 0 ? comparisons : only.metrics ? [only] : []
  return all.map((pair, index) => {
    const [name, comparedWith] = [pair.name || sides[index + 1]?.name || '', pair.comparedWith || sides[0]?.name || '']
    const [a, b] = isBrief ? ['A', letter(index + 1)] : [comparedWith, name]
    return { ...pair, name, comparedWith, a, b, letter: letter(index + 1) }
  })
}

function runsOf ({ runs, statuses, cpu }) {
  return [numbers.counted(runs, 'run'), countsInWords(statuses), cpu === null ? '' : `CPU ${percent(cpu)}`].filter(Boolean).join('; ')
}

function sideInWords (side, index) {
  const where = caption({ url: side.url ?? [] })
  return `${letter(index)}: ${side.name} (${runsOf(side)})${where === '' ? '' : `: ${where}`}`
}

// On a smaller scale, differences would look large just because all intervals are narrow.
const LEAST_SCALE = 0.02

/** Lists the functions in which two diagnosed servers spent different time. */
function hotTable ({ name, comparedWith, letter, hot }, noun) {
  return {
    caption: `Functions by self time per ${noun} (without the functions that they call), averaged over the runs: the largest differences`,
    isCaptionSeen: true,
    others: 'function',
    columns: [
      { name: 'Function' },
      { name: 'Place', gives: 2 },
      { name: 'Package', gives: 1 },
      { name: comparedWith, short: `A, per ${noun}`, of: 'time' },
      { name, short: `${letter}, per ${noun}`, of: 'time' }
    ],
    rows: (hot ?? []).map((entry) => [...functionCells(entry), entry.a, entry.b])
  }
}

/**
 * Returns a table of the differences between two sides: for each metric, both values, the difference and its interval.
 */
function differences ({ name, comparedWith, letter, metrics }, confidence, noun) {
  const all = Object.entries(metrics)
  const common = scaleOf(all.map(([, metric]) => metric).filter(({ scale }) => scale !== 'absolute'))
  const [a, b] = headsOf({ name, comparedWith, letter })
  const [ofA, ofB] = [[comparedWith, a], [name, b]].map(([whole, head]) => whole === head ? whole : `${head} (${whole})`)
  return {
    caption: `Differences of ${ofB} from ${ofA}. The bar is the interval; the dashed line marks no difference.`,
    isCaptionSeen: true,
    columns: [
      { name: 'Metric', short: '' },
      { name: a, short: 'A', of: 'figure' },
      { name: b, short: letter, of: 'figure' },
      { name: 'Difference', of: 'figure' },
      { name: confidence !== null ? `${percent(confidence)} interval` : 'Interval', of: 'figure' },
      { name: '', of: 'picture', only: 'page' },
      { name: 'Verdict' }
    ],
    rows: all.map(([key, metric]) => [
      { value: LABELS[key] ?? key, detail: key === 'throughput' ? `${noun}s per second` : '', className: 'short' },
      ...['a', 'b'].map((side) => ({ value: valueOf(metric, side), isBad: key === 'errorRate' && metric[side] > 0 })),
      change(metric.difference, metric.scale),
      metric.interval === null ? numbers.NOTHING : shownInterval(metric),
      { value: pictureOf(metric, metric.scale === 'absolute' ? scaleOf([metric]) : common) },
      verdictOfMetric(metric, key === 'errorRate' ? FAILURES : TIMES)
    ])
  }
}

function valueOf ({ unit, atLeast, ...metric }, side) {
  const value = metric[side]
  if (value === null) return numbers.NOTHING
  if (unit === 'ms') return numbers.atLeast(numbers.time(value), atLeast?.includes(side) === true)
  return unit === 'share' ? percent(value) : `${numbers.rate(value)}/s`
}

// Differences between shares are in percentage points.
function change (share, scale, signed = true) {
  return percent(share, { signed, unit: scale === 'absolute' ? ' pp' : '%' })
}

const isUnbounded = (high) => high === null || high >= THOUSANDFOLD

function shownInterval ({ interval: [low, high], scale }) {
  const shown = [change(low, scale), isUnbounded(high) ? 'more' : change(high, scale)].join(' … ')
  return scale === 'absolute' ? shown.replace(' pp', '') : shown
}

// Where a difference is drawn: ratios on a logarithmic scale, on which twice as much is as far from no difference as half as much, and
// which has room for any interval; shares on a linear one. null if it is unbounded.
function placeOf (value, scale) {
  if (scale === 'absolute') return value
  return value === null || value <= -1 || isUnbounded(value) ? null : Math.log1p(value)
}

function scaleOf (metrics) {
  const ends = metrics.flatMap(({ interval, difference, scale }) => [...interval ?? [], difference].map((value) => placeOf(value, scale))).filter(isNumber)
  return Math.max(LEAST_SCALE, ...ends.map(Math.abs)) * 1.1
}

function pictureOf ({ interval, difference, scale: kind }, scale) {
  if (interval === null) return null
  const [from, to, point] = [...interval, difference].map((value) => placeOf(value, kind))
  return { from, to, point, scale }
}

// A name whose words are too long for the head of a column is replaced by its letter.
function headsOf ({ name, comparedWith, letter }) {
  const isLong = (text) => text.split(/\s/).some((word) => word.length > LONGEST_WORD)
  return isLong(name) || isLong(comparedWith) ? ['A', letter] : [comparedWith, name]
}

const LONGEST_WORD = 18

const TIMES = { faster: verdict('▲ faster', 'pass'), slower: verdict('▼ slower', 'fail') }
const FAILURES = { faster: verdict('✓ fewer', 'pass'), slower: verdict('✗ more', 'fail') }

// If no difference was shown, the verdict includes the smallest difference that could have been detected.
function verdictOfMetric ({ verdict: found, smallestDifference, scale }, verdicts) {
  if (Object.hasOwn(verdicts, found)) return verdicts[found]
  const least = smallestDifference !== null ? `of ${change(smallestDifference, scale, false)}${smallestDifference < THOUSANDFOLD ? ' or more' : ''}` : ''
  return { value: found === 'no difference shown' ? 'none shown' : found, detail: least, className: 'short' }
}

/** Returns the table of the regression check. */
function regressions ({ regression }) {
  return {
    only: 'page',
    caption: 'Regression check: allowed vs. measured',
    isCaptionSeen: true,
    columns: [{ name: 'Metric' }, { name: 'Allowed', of: 'percent' }, { name: 'Worse by', of: 'percent' }, { name: 'Verdict' }],
    rows: (regression?.checks ?? []).map((check) => [LABELS[check.metric] ?? check.metric, check.limit, check.regression ?? 'unknown', CHECKED[verdictOf(check)]])
  }
}

const CHECKED = { passed: verdict('✓ passed', 'pass'), failed: verdict('✗ failed', 'fail'), inconclusive: verdict('? inconclusive', 'unsure') }

function rounds ({ runs }, sides, noun) {
  const all = (runs ?? []).filter(({ side, round }) => sides[side] && round !== null)
  const last = all.reduce((max, { round }) => Math.max(max, round), 0)
  if (last === 0) return []
  const xs = Array.from({ length: last + 1 }, (_, index) => index + 1)
  const valuesOf = (field) => sides.map((_, side) => xs.map((x) => all.find((run) => run.side === side && run.round === x - 1)?.[field] ?? null))
  const figure = (id, title, field, axisOf) => {
    const values = valuesOf(field)
    return {
      chart: {
        id,
        title,
        note: 'The runs of a round are joined by a line.',
        summary: `${title}, of ${sides.length} sides in ${last + 1} rounds. The table of all rounds has the numbers.`,
        chart: {
          height: 220,
          group: 'round',
          x: { scale: 'linear', min: 0.5, max: last + 1.5, label: 'round', name: 'round', isWhole: true },
          y: axisOf(values),
          series: sides.map(({ name, color, line }) => ({ name, color, line, hasPoints: true, isLoose: true })),
          data: [xs, ...values],
          isPaired: true
        }
      }
    }
  }
  return [
    figure('throughput-by-round', `${headOf(noun)} per second`, 'throughput', (values) => {
      return { scale: 'linear', ...linearRange(values.flat()), label: `${noun}s per second`, unit: '/s' }
    }),
    figure('p99-by-round', '99th percentile of the latency', 'p99', (values) => durationAxis(values, 'p99'))
  ]
}

function roundTable ({ runs }, sides, noun) {
  const shown = (runs ?? []).filter(({ side }) => sides[side]).sort((a, b) => a.round - b.round || a.side - b.side)
  return {
    only: 'page',
    caption: 'All rounds',
    isCaptionSeen: true,
    folded: 'All rounds as a table',
    columns: [{ name: 'Round' }, { name: 'Side' }, { name: `${headOf(noun)}/s`, of: 'rate' }, { name: 'p50', of: 'time' }, { name: 'p99', of: 'time' }, { name: 'Failure rate', of: 'percent' }, ...cpuColumns(shown)],
    rows: shown.map(({ side, round, throughput, p50, p99, errorRate, ...run }) => [
      round !== null ? String(round + 1) : numbers.NOTHING, sides[side].name, throughput, p50, p99, errorRate, ...cpuCells(run, shown)
    ])
  }
}

function conditions ({ method, confidence, falseAlarmRate, passed, regressionVerdict, finish, start, environment }, sides) {
  const took = (new Date(finish) - new Date(start)) / 1000
  return [
    ...sides.map(({ name, url, isSaved }) => [name, [...(url ?? []), isSaved && 'saved result'].filter(Boolean).join(', ')]),
    ...(isEmpty(sides) ? [] : [['Method', method], ['Confidence', confidence !== null ? percent(confidence) : ''], ['False alarms', falseAlarms(falseAlarmRate)]]),
    ['Took', took > 0 ? numbers.span(took) : ''],
    ['Verdict', passed === null ? '' : CHECKED[regressionVerdict || (passed ? 'passed' : 'failed')]?.value],
    ...provenance(environment)
  ]
}

function falseAlarms (rate) {
  return rate !== null ? `in at most ${percent(rate)} of all comparisons of a server with itself` : 'unknown'
}

function verdictInWords ({ verdict, metrics, a, b: name }) {
  const silence = silenceInWords({ metrics }, a, name)
  if (silence !== null) return note(silence)
  const metricsThatAre = (wanted) => Object.keys(metrics).filter((metric) => metrics[metric].verdict === wanted)
  const isWorse = metrics.errorRate?.verdict === 'slower'
  if (isWorse && verdict === 'slower' && metricsThatAre('slower').length === 1) return error(`${name} fails more often than ${a}${figures(metrics, verdict)}.`)
  if (verdict === 'faster' || verdict === 'slower') return note(`${name} is ${verdict} than ${a}${figures(metrics, verdict)}.`)
  if (verdict === 'mixed') {
    const of = (wanted) => metricsThatAre(wanted).map((metric) => (LABELS[metric] ?? metric).toLowerCase()).join(', ')
    if (isWorse) return error(`${name} fails more often than ${a}${figures({ errorRate: metrics.errorRate }, 'slower')}. That may be why it is faster in ${of('faster')}.`)
    return note(`${name} is faster than ${a} in ${of('faster')}, and slower in ${of('slower')}.`)
  }
  const known = Object.entries(metrics).filter(([, { smallestDifference }]) => smallestDifference !== null)
  if (known.length === 0) return note(`No difference between ${a} and ${name} is shown.`)
  const seen = known.map(([metric, { smallestDifference, scale }]) => `${(LABELS[metric] ?? metric).toLowerCase()} ${change(smallestDifference, scale, false)}`).join(', ')
  return note(`No difference between ${a} and ${name} is shown. The smallest detectable differences: ${seen}.`)
}

// Returns text such as ': p50 +45% (30% to 61%), throughput …'.
function figures (metrics, wanted) {
  const shown = Object.keys(SHORT_LABELS).filter((metric) => metrics[metric]?.verdict === wanted)
    .filter((metric) => metrics[metric].difference !== null && metrics[metric].interval !== null)
  if (shown.length === 0) return ''
  return ': ' + shown.map((metric) => figure(SHORT_LABELS[metric], metrics[metric])).join(', ')
}

function figure (label, { difference, scale, interval: [low, high] }) {
  const bound = (share) => change(share, scale, false)
  return `${label} ${change(difference, scale)} (${bound(low)} to ${high === null || high >= THOUSANDFOLD ? 'more' : bound(high)})`
}

function regressionOf ({ regression, a, b: name }) {
  if (!regression) return []
  return regression.checks.map((check) => {
    const label = LABELS[check.metric] ?? check.metric
    switch (verdictOf(check)) {
      case 'passed': return note(`Regression check passed: ${label} of ${name} is ${passedInWords(check, a)}.`)
      case 'failed': return error(`Regression check FAILED: ${failedInWords(check, label, name, a)}.`)
      default: return warning(`Regression check INCONCLUSIVE: ${inconclusiveInWords(check, label, name, a)}.`)
    }
  })
}

// Checks from earlier versions have no verdict, and passed even if they were inconclusive.
function verdictOf ({ verdict, passed, smallestDifference, limit }) {
  if (verdict) return verdict
  if (!passed) return 'failed'
  return smallestDifference > limit ? 'inconclusive' : 'passed'
}

function passedInWords ({ verdict, limit }, a) {
  const how = !verdict ? 'not shown to be more than' : 'shown to be no more than'
  return `${how} ${percent(limit)} worse than that of ${a}`
}

function failedInWords ({ regression, limit, smallestDifference }, label, name, a) {
  if (smallestDifference === null && regression === null) return `too little was measured to compare the ${label} of ${name} with that of ${a}`
  const by = regression === null ? 'infinitely worse' : `${percent(regression)} worse`
  return `${label} of ${name} is ${by} than that of ${a} (allowed: ${percent(limit)})`
}

function inconclusiveInWords (check, label, name, a) {
  const { limit, interval, smallestDifference } = check
  if (!check.verdict) {
    return `${label} of ${name} is not shown to be more than ${percent(limit)} worse than that of ${a}, but ${unseen(smallestDifference)} too small to detect`
  }
  if (interval === null) return `too little was measured to compare the ${label} of ${name} with that of ${a}${neededInWords(check)}`
  if (check.needed === null && interval[1] !== null && interval[1] <= limit) {
    return `${label} of ${name} was measured to be no more than ${percent(limit)} worse than that of ${a}, but runs were lost, cut short or had no responses, or more of its requests or users failed`
  }
  const [least, most] = [worseInWords(interval[0], -1), worseInWords(interval[1], 1)]
  return `${label} of ${name} may be from ${least} to ${most} than that of ${a} (allowed: ${percent(limit)})${neededInWords(check)}`
}

function worseInWords (share, sign) {
  if (share === null) return sign > 0 ? 'infinitely worse' : 'infinitely better'
  return share < 0 ? `${percent(-share)} better` : `${percent(share)} worse`
}

function neededInWords ({ needed }) {
  if (needed?.rounds != null) return `; about ${numbers.counted(needed.rounds, 'more round')} would settle it`
  if (needed?.seconds != null) return `; runs about ${numbers.counted(needed.seconds, 'second')} longer would settle it`
  return '; how many more rounds would settle it is unknown'
}

function unseen (smallestDifference) {
  return smallestDifference < THOUSANDFOLD ? `differences below ${percent(smallestDifference)} were` : 'even a 1,000-fold difference would have been'
}

function howSure ({ sides, confidence, falseAlarmRate, method }) {
  if (isEmpty(sides)) return []
  const all = `All intervals of this comparison hold simultaneously at ${percent(confidence)} confidence (${method})`
  if (falseAlarmRate === null) return [note(`${all}, as far as a single run can show.`)]
  return [note(`${all}: a server compared with itself is reported as different in at most ${percent(falseAlarmRate)} of all comparisons.`)]
}

module.exports = { comparisonDocument }
