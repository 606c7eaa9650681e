'use strict'

const { onOneLine } = require('../base/errors')
const { count, decimalsFor, grouped, time } = require('../words/numbers')

// Three digits, as for all numbers, but more if a value near the limit would otherwise read the same as the limit.
const DIGITS = 3
const MOST_DIGITS = 15
// Above this percentage, the miss is given as a factor, which is easier to read.
const MANY_PERCENT = 1000

function shown (value, unit, digits) {
  if (typeof value !== 'number') return value === null ? 'not there' : String(value)
  if (unit === 'ms') return time(value, null, digits)
  const text = grouped(value, Number.isInteger(value) ? 0 : decimalsFor(value, digits))
  return unit === '' || unit === '%' || unit === '/s' ? text + unit : `${text} ${unit}`
}

/**
 * The actual value of a threshold with its unit, or its minimum if that is larger. Uses as many digits as it takes to read differently
 * from the limit.
 *
 * @param {object} threshold see evaluateThresholds
 * @returns {string} '61.3 ms', '1,204/s', '0.5%', '12', 'true', 'not there'
 */
function actualInWords (threshold) {
  return inWords(leastOf(threshold), threshold)
}

function leastOf ({ actual, atLeast }) {
  return atLeast > actual ? atLeast : actual
}

function inWords (actual, { limit, unit = '' }) {
  let digits = DIGITS
  const readsLikeLimit = () => actual !== limit && shown(actual, unit, digits) === shown(limit, unit, MOST_DIGITS)
  while (digits < MOST_DIGITS && readsLikeLimit()) digits++
  return shown(actual, unit, digits)
}

const counts = (unanswered) => `${count(unanswered.count)} of ${count(unanswered.of)}`

// Why values are missing, by the name of the figure; and whether `actual` describes only the values that are there.
const WITHOUT_VALUE = [
  [/^(warmup\.)?broadcast\./, 'copies did not arrive', false],
  [/^(warmup\.)?stream\.gap/, 'had no further event', true],
  [/^(warmup\.)?stream\./, 'streams had no first event', true],
  [/^(warmup\.)?(scenarios\S.*\.)?sessions\./, 'sessions did not finish', true],
  [/^(warmup\.)?connectTime\./, 'connections did not open', true],
  [/^(warmup\.)?connectionStats\./, 'connections had no answer', true],
  [/^(warmup\.)?sendDelay\./, 'were never sent', true],
  [/^/, 'had no answer', false]
]
const OF_BODIES = /^(warmup\.)?(scenarios\S.*\.)?mismatches$/
const OF_FAILURES = /^(warmup\.)?(scenarios\S.*\.)?failures\./

/**
 * Describes what is known about the true value if `actual` may not be it.
 *
 * @param {object} threshold see evaluateThresholds
 * @returns {string} 'at least 3,506 ms: 60 of 60 had no answer'; '' if `actual` is certain
 */
function boundInWords (threshold) {
  const { actual, atLeast = actual, unanswered, incomplete, certain } = threshold
  if (certain !== false) return ''
  if (incomplete) return `it cannot be told: ${lossInWords(incomplete)} (${actualInWords(threshold)} without it)`
  if (!unanswered) return actual !== null ? `it was ${actualInWords(threshold)}, but nothing was answered` : ''
  if (OF_BODIES.test(threshold.metric)) return bodiesInWords(unanswered)
  if (OF_FAILURES.test(threshold.metric)) return failuresInWords(threshold)
  const [, what, isOfOthers] = WITHOUT_VALUE.find(([name]) => name.test(threshold.metric))
  const why = `${counts(unanswered)} ${what}`
  // A value below the mean may reduce the deviation when it grows, so there is no lower bound.
  if (actual === null || /\.stddev$/.test(threshold.metric)) return `it cannot be told: ${why}`
  if (atLeast <= actual && (isOfOthers || atLeast < actual)) return `it was ${actualInWords(threshold)} among the measured values, but ${why}`
  return `at least ${actualInWords(threshold)}: ${why}`
}

function bodiesInWords (unanswered) {
  if (unanswered.count === 0) return 'it cannot be told: no body was verified'
  return `it cannot be told: ${counts(unanswered)} bodies were not verified`
}

function failuresInWords ({ actual, unanswered, ...threshold }) {
  return `it cannot be told: it was at least ${actualInWords({ actual, ...threshold })}, and ${counts(unanswered)} may have failed as well (their bodies did not match, or were not verified)`
}

/**
 * Describes what a result lacks.
 *
 * @param {{ parts: number, since: number }} incomplete of a result
 * @returns {string} '1 part of the run was lost after 3 s'
 */
function lossInWords ({ parts, since }) {
  return `${shown(parts, '', DIGITS)} ${parts === 1 ? 'part of the run was' : 'parts of the run were'} lost after ${shown(since, 's', DIGITS)}`
}

/** The limit with its operator and unit: '< 50 ms'. */
function limitInWords ({ operator, limit, unit }) {
  return `${operator} ${shown(limit, unit, MOST_DIGITS)}`
}

/**
 * Describes by how much a threshold was missed.
 *
 * @param {object} threshold see evaluateThresholds
 * @returns {string} '22.6% over', '12 over' if the limit is 0, '' if it was met or the distance means nothing
 */
function missInWords (threshold) {
  const { operator, limit, unit = '', passed, certain = true } = threshold
  const actual = leastOf(threshold)
  if (passed || !certain || typeof actual !== 'number' || typeof limit !== 'number' || operator === '!=') return ''
  const difference = actual - limit
  if (difference === 0) return 'just at the limit'
  const direction = difference > 0 ? 'over' : 'under'
  const percent = Math.abs(difference / limit) * 100
  if (limit === 0) return `${shown(Math.abs(difference), unit, DIGITS)} ${direction}`
  if (percent > MANY_PERCENT) return `${shown(actual / limit, '', 3)} times the limit`
  return `${shown(percent, '%', 3)} ${direction}`
}

/**
 * A threshold and its outcome, in one line.
 *
 * @param {object} threshold see evaluateThresholds
 * @returns {string} 'p99 < 50ms: it was 61.3 ms, 22.6% over'
 */
function verdictInWords (threshold) {
  const bound = boundInWords(threshold)
  const condition = onOneLine(threshold.threshold)
  if (bound !== '') return `${condition}: ${bound}`
  if (threshold.actual === null) return `${condition}: this result has no such value`
  const it = threshold.unanswered ? 'it was at least' : 'it was'
  return [`${condition}: ${it} ${actualInWords(threshold)}`, missInWords(threshold)].filter(Boolean).join(', ')
}

module.exports = { actualInWords, boundInWords, limitInWords, missInWords, verdictInWords }
