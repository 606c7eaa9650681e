'use strict'

const { actualInWords } = require('../../thresholds/words')
const format = require('../../words/numbers')
const { axisOf, placeOf } = require('./axis')

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
  return format.percent(Math.ceil((high / capacity - 1) * 1000 - 1e-9) / 1000)
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
  return format.atLeast(actualInWords(verdict), Boolean(verdict.unanswered))
}

module.exports = { actualOf, nearness, noCapacity, whoLimits }
