'use strict'

const { optionError } = require('../../errors')
const { kind, isObject } = require('../../plan/kinds')
const { share } = require('../settings')
const { METRICS } = require('./metrics')

const NAMES = METRICS.map(({ name }) => name)

/** `'5%'` or 0.05 for all metrics, or `{ p99: '10%', … }` for some. */
const maxRegression = kind("a share such as '5%', or an object with one for each of " + NAMES.join(', '), (value, name) => {
  if (!isObject(value)) return Object.fromEntries(NAMES.map((metric) => [metric, share.read(value, name)]))
  const limits = Object.entries(value)
  for (const [metric] of limits) {
    if (!NAMES.includes(metric)) throw optionError(`${name}.${metric}`, value[metric], `one of ${NAMES.join(', ')}`)
  }
  return Object.fromEntries(limits.map(([metric, limit]) => [metric, share.read(limit, `${name}.${metric}`)]))
})

/**
 * Whether the second side is worse than the first by more than it may be: where a difference is shown, and larger than
 * the limit. A difference that may as well be noise fails nothing; but where nothing can be told at all, nothing is
 * passed either.
 *
 * @param {object} metrics as judge gives them
 * @param {object} limits shares by metric
 * @returns {{ passed: boolean, checks: object[] }} each check `{ metric, limit, regression, smallestDifference, passed }`;
 *   `regression`: by what share it is worse, negative where it is better, null where that cannot be told
 */
function checkRegression (metrics, limits) {
  const checks = Object.entries(limits).map(([name, limit]) => {
    const metric = metrics[name]
    const regression = regressionOf(metric)
    const isTooMuch = metric.verdict === 'slower' && (regression === null || regression > limit)
    return { metric: name, limit, regression, smallestDifference: metric.smallestDifference, passed: metric.interval !== null && !isTooMuch }
  })
  return { passed: checks.every(({ passed }) => passed), checks }
}

// Errors where there were none are any number of times as many.
function regressionOf ({ a, b, difference, better, scale }) {
  if (scale === 'absolute') return a > 0 ? b / a - 1 : b > 0 ? null : 0
  return difference === null ? null : better === 'lower' ? difference : -difference
}

module.exports = { maxRegression, checkRegression }
