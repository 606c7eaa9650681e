'use strict'

const { isFailure } = require('../failures')
const { actualInWords, meets } = require('../../thresholds')
const { nounOfOptions } = require('../../words/noun')
const numbers = require('../../words/numbers')
const { cleanName } = require('../text')

/*
 * How far a run is, and its thresholds, as a live page says it. What is known during a run is its last sample, and its counts so far.
 */

/**
 * Describes how far a run is: '12 s of 1 min, 48 s left'.
 *
 * @param {{ duration: number, amount: ?number }} extent of the plan
 * @param {object} row the last sample, as in `result.timeline`
 * @param {{ requests: number }} totals so far
 * @param {object} what the options of the run, which decide the word for what is sent
 */
function progressInWords ({ duration, amount }, { time }, { requests }, what) {
  if (amount !== null) return `${numbers.count(requests)} of ${numbers.counted(amount, nounOfOptions(what))} after ${numbers.span(time)}`
  const left = Math.ceil(duration - time)
  if (left <= 0) return `${numbers.span(duration)} of ${numbers.span(duration)}, waiting for the last responses`
  return `${numbers.span(time)} of ${numbers.span(duration)}, ${numbers.span(left)} left`
}

// Percentiles of a whole run are computed at its end.
const IN_SAMPLE = { 'latency.p50': 'p50', 'latency.p90': 'p90', 'latency.p99': 'p99', 'latency.max': 'max' }

/**
 * Describes the thresholds of a run.
 *
 * @param {object} row the last sample
 * @param {{ requests: number, errors: number, statuses: Record<string, number> }} totals so far
 * @param {object} extent
 * @param {object[]} extent.thresholds parsed
 * @param {boolean} extent.hasOtherFailures whether responses may be failures that are counted only at the end, such as unexpected bodies
 * @returns {Array<{ text: string, state: 'pass'|'fail'|'unsure'|'unknown' }>} 'unsure' if the value is only a lower bound, 'unknown' if there is
 *   none before the end
 */
function thresholdsInWords (row, totals, { thresholds, hasOtherFailures }) {
  return thresholds.map((threshold) => {
    const text = cleanName(threshold.threshold)
    const { actual, when, isBound } = valueOf(threshold, row, totals, hasOtherFailures)
    if (actual === null) return { text: `${text}: checked at the end`, state: 'unknown' }
    const value = numbers.atLeast(actualInWords({ ...threshold, actual }), isBound)
    return { text: `${text}: ${value} ${when}`, state: STATES.get(meets([actual, isBound ? Infinity : actual], threshold)) }
  })
}

const STATES = new Map([[true, 'pass'], [false, 'fail'], [null, 'unsure']])

function valueOf ({ metric, unit }, row, totals, hasOtherFailures) {
  const name = IN_SAMPLE[metric]
  if (name !== undefined) return { actual: row.max > 0 ? row[name] : null, when: 'in the last sample', isBound: row[name] >= row.latencyBounds?.smallest }
  const count = countOf(metric, totals)
  if (count === null) return { actual: null }
  const { of } = count
  const actual = unit === '%' ? (of > 0 ? 100 * count.value / of : null) : count.value
  return { actual, when: 'so far', isBound: hasOtherFailures && metric.startsWith('failures.') }
}

// Counts that a live page has, and what they are a share of.
function countOf (metric, { requests, errors, statuses }) {
  const of = requests + errors
  const failing = Object.entries(statuses).reduce((sum, [name, count]) => isFailure(name) ? sum + count : sum, 0)
  switch (metric) {
    case 'errors':
    case 'errorRate':
      return { value: errors, of }
    case 'failures.count':
    case 'failures.rate':
      return { value: errors + failing, of }
    case 'non2xx':
      return { value: requests - (statuses['2xx'] ?? 0), of: requests }
    case '4xx':
    case '5xx':
      return { value: statuses[metric] ?? 0, of: requests }
    default:
      return null
  }
}

module.exports = { progressInWords, thresholdsInWords }
