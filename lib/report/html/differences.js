'use strict'

const { headOf } = require('../../words/noun')
const { html, shown } = require('./markup')
const { listed } = require('./lists')
const numbers = require('../../words/numbers')
const table = require('./table')
const { regressionVerdict } = require('./thresholds')

const { nameClass } = table
const { THOUSANDFOLD } = numbers

const NAMES = {
  p50: 'Median latency',
  p99: 'p99 latency',
  errorRate: 'Error rate',
  eventRate: 'Events per second',
  firstEventP50: 'Median first event',
  firstEventP99: 'p99 first event',
  gapP50: 'Median event gap',
  gapP99: 'p99 event gap'
}
// However narrow the intervals are, a difference below the first does not look large; what is beyond the second is cut off.
const LEAST_SCALE = 0.02
const MOST_SCALE = 1

/**
 * What differs between two sides, by metric: both values, the difference, and the interval it lies in.
 *
 * @param {object} comparison `{ name, comparedWith, metrics }`
 * @param {{ confidence: number }} study
 * @param {'request'|'message'} noun what was sent
 */
function differenceTable ({ name, comparedWith, metrics }, { confidence }, noun) {
  const all = Object.entries(metrics ?? {}).filter(([, metric]) => metric !== null && typeof metric === 'object')
  if (all.length === 0) return null
  const relative = all.filter(([, { scale }]) => scale !== 'absolute')
  const names = { throughput: `${headOf(noun)} per second`, ...NAMES }
  const scale = scaleOf(relative.map(([, metric]) => metric))
  const level = numbers.isNumber(confidence) ? `${numbers.percent(confidence)} interval` : 'Interval'
  return {
    markup: table({
      caption: `Differences of ${shown(name ?? '')} from ${shown(comparedWith ?? '')}. The bar is the interval, the dashed line no difference at all.`,
      isCaptionSeen: true,
      isStacked: true,
      head: ['Metric', side(comparedWith), side(name), 'Difference', level, '', 'Verdict'],
      kinds: ['text', 'number', 'number', 'number', 'number', 'picture', 'text'],
      rows: all.map(([key, metric]) => [
        { content: names[key] ?? shown(key), className: 'short' },
        valueOf(key, metric.a),
        valueOf(key, metric.b),
        signed(metric.difference, metric),
        intervalInWords(metric),
        bar(metric, metric.scale === 'absolute' ? scaleOf([metric]) : scale),
        verdictOf(metric)
      ])
    })
  }
}

// A name may be a long URL.
const side = (name) => ({ content: shown(name ?? ''), className: nameClass(name) })

function valueOf (key, value) {
  if (!numbers.isNumber(value)) return numbers.NOTHING
  if (key === 'throughput' || key === 'eventRate') return `${numbers.rate(value)} /s`
  return key === 'errorRate' ? numbers.percent(value) : numbers.time(value)
}

// An absolute difference of two shares is one of percentage points.
const percent = (share, { scale }, signed = false) => numbers.percent(share, { signed, unit: scale === 'absolute' ? ' pp' : '%' })
const signed = (share, metric) => percent(share, metric, true)

function intervalInWords (metric) {
  if (!Array.isArray(metric.interval)) return 'not known'
  const [from, to] = metric.interval
  const isBounded = numbers.isNumber(to) && to < THOUSANDFOLD
  const low = signed(from, metric)
  return `${isBounded ? low.replace(/ pp$|%$/, '') : low} … ${isBounded ? signed(to, metric) : '∞'}`
}

const WORDS = { faster: '▲ faster', slower: '▼ slower' }
const CLASSES = { faster: 'verdict pass', slower: 'verdict fail' }

// Where nothing was shown, a reader has to know what could have been.
function verdictOf (metric) {
  const { verdict: found, smallestDifference } = metric
  if (WORDS[found]) return { content: WORDS[found], className: CLASSES[found] }
  const least = numbers.isNumber(smallestDifference)
    ? html`<span class="note below">of ${percent(smallestDifference, metric)}${smallestDifference < THOUSANDFOLD ? ' or more' : ''}</span>`
    : ''
  return { content: html`${shown(found ?? '')}${least}`, className: 'short' }
}

function scaleOf (metrics) {
  const ends = metrics.flatMap(({ interval }) => Array.isArray(interval) ? interval : []).filter(numbers.isNumber)
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, ...ends.map(Math.abs))) * 1.1
}

function bar ({ interval, difference }, scale) {
  if (!Array.isArray(interval)) return ''
  const place = (value) => `${Math.min(100, Math.max(0, 50 + 50 * value / scale)).toFixed(2)}%`
  const from = place(numbers.isNumber(interval[0]) ? interval[0] : -scale)
  const to = place(numbers.isNumber(interval[1]) ? interval[1] : scale)
  const point = numbers.isNumber(difference) ? html`<circle class="point" cx="${place(difference)}" cy="50%" r="3.5"/>` : ''
  return html`<svg class="interval" aria-hidden="true">
<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/><line class="range" x1="${from}" x2="${to}" y1="50%" y2="50%"/>${point}
</svg>`
}

/** Whether one side is worse than was allowed, where that was asked. */
function regressionTable ({ regression }) {
  const checks = listed(regression?.checks)
  if (checks.length === 0) return null
  const share = (value) => numbers.isNumber(value) ? numbers.percent(value) : 'not known'
  return {
    markup: table({
      caption: 'Regressions: how much worse it may be, and is',
      isCaptionSeen: true,
      isStacked: true,
      head: ['Metric', 'Allowed', 'Worse by', 'Verdict'],
      kinds: ['text', 'number', 'number', 'text'],
      rows: checks.map(({ metric, limit, regression: found, passed, verdict }) => [
        NAMES[metric] ?? shown(metric ?? ''), share(limit), share(found), regressionVerdict(verdict, passed)
      ])
    })
  }
}

module.exports = { differenceTable, regressionTable }
