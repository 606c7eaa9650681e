'use strict'

const { mean } = require('../statistics/summaries')
const { simultaneousIntervals } = require('../statistics/intervals')
const { metricsOf, floorOf, rowOf, blocksOf } = require('./metrics')

// Blocks of the same run follow each other immediately, so they are correlated more strongly than rounds.
const WIDER_WITHIN_RUN = 1.25

const NO_DIFFERENCE = 'no difference shown'

/**
 * Determines the difference of the second side from the first, according to their results.
 *
 * @param {object[]} first results
 * @param {object[]} second results
 * @param {object} options
 * @param {boolean} options.isPaired the runs were executed in rounds, so the results of one round belong together
 * @param {number} options.alpha the probability of a false alarm, over all metrics
 * @param {number} options.seed of the bootstrap
 * @returns {{ verdict: string, metrics: object }} see compare.js
 */
function judge (first, second, { isPaired, alpha, seed }) {
  const compared = metricsOf([...first, ...second])
  const leasts = compared.map((metric) => floorOf(metric, [...first, ...second]))
  const groups = isPaired
    ? [{ sign: 1, rows: differences(first, second, leasts, compared) }]
    : [groupOf(second, 1, leasts, compared), groupOf(first, -1, leasts, compared)]
  const floors = compared.map((metric, index) => leastError(metric, leasts[index], first, second))
  const wider = first.length === 1 || second.length === 1 ? WIDER_WITHIN_RUN : 1
  const intervals = simultaneousIntervals(groups, { floors, alpha, wider, seed })
  const metrics = Object.fromEntries(compared.map((metric, index) => {
    return [metric.name, describe(metric, leasts[index], first, second, intervals[index])]
  }))
  return { verdict: verdictOfAll(Object.values(metrics).map(({ verdict }) => verdict)), metrics }
}

function differences (first, second, leasts, metrics) {
  return first.map((result, round) => {
    const a = rowOf(result, leasts, metrics)
    return rowOf(second[round], leasts, metrics).map((b, index) => b - a[index])
  })
}

function groupOf (results, sign, leasts, metrics) {
  return { sign, rows: results.length === 1 ? blocksOf(results[0], leasts, metrics) : results.map((result) => rowOf(result, leasts, metrics)) }
}

// Quantized values can be equal in every round by chance, and a spread of 0 would make any difference significant.
function leastError (metric, least, ...sides) {
  const variances = sides.map((results) => {
    const steps = results.map((result) => metric.resolution(Math.max(metric.value(result), least), result)).filter(Number.isFinite)
    return steps.length === 0 ? 0 : Math.max(...steps) ** 2 / 12 / results.length
  })
  return Math.sqrt(variances.reduce((sum, each) => sum + each, 0))
}

function describe (metric, least, first, second, { estimate, halfWidth }) {
  const [a, b] = [first, second].map((results) => central(metric, results))
  const isKnown = Number.isFinite(estimate) && Number.isFinite(halfWidth)
  const bounded = [['a', first], ['b', second]].filter(([, results]) => results.some(metric.isBound)).map(([side]) => side)
  const { difference, interval, smallestDifference } = (metric.isRelative ? ratio : shareDifference)({ a, b, least, estimate, halfWidth })
  return {
    a,
    b,
    unit: metric.unit,
    better: metric.better,
    scale: metric.isRelative ? 'relative' : 'absolute',
    difference: orNull(difference),
    interval: isKnown ? openedBy(bounded, interval).map(orNull) : null,
    smallestDifference: isKnown ? orNull(bounded.length === 2 ? Infinity : smallestDifference) : null,
    verdict: isKnown && Math.abs(estimate) > halfWidth ? decided(bounded, direction(metric, estimate)) : NO_DIFFERENCE,
    ...(bounded.length > 0 && { atLeast: bounded })
  }
}

// A side of which only a lower bound is known may be arbitrarily slow.
function openedBy (bounded, [low, high]) {
  return [bounded.includes('a') ? -1 : low, bounded.includes('b') ? Infinity : high]
}

// A lower bound decides in one direction only: that side may be shown to be slower, but not faster.
function decided (bounded, verdict) {
  return bounded.includes(verdict === 'faster' ? 'b' : 'a') ? NO_DIFFERENCE : verdict
}

/*
 * If a value is 0, or below the resolution, it is replaced by the smallest distinguishable value, and the ratio to that isn't the
 * true one: it has no upper bound if this is the first side, and no lower bound except -100% if it is the second.
 */
function ratio ({ a, b, least, estimate, halfWidth }) {
  const difference = least > 0 && a !== null && b !== null ? ratioOf(a, b) : Math.expm1(estimate)
  const low = b < least ? -1 : Math.expm1(estimate - halfWidth)
  const high = a < least ? Infinity : Math.expm1(estimate + halfWidth)
  return {
    difference,
    interval: [Math.min(low, difference), Math.max(high, difference)],
    smallestDifference: Math.expm1(halfWidth)
  }
}

function ratioOf (a, b) {
  return a === b ? 0 : b / a - 1
}

// Two shares can't differ by more than 1.
function shareDifference ({ estimate, halfWidth }) {
  const possible = (value) => Math.min(1, Math.max(-1, value))
  return {
    difference: estimate,
    interval: [possible(estimate - halfWidth), possible(estimate + halfWidth)],
    smallestDifference: Math.min(1, halfWidth)
  }
}

function direction ({ better }, estimate) {
  return (estimate > 0) === (better === 'higher') ? 'faster' : 'slower'
}

// Computed on the same scale as the difference, so that they match; with zeros, there is no geometric mean.
function central (metric, results) {
  const values = results.map(metric.value).filter(Number.isFinite)
  if (values.length === 0) return null
  return metric.isRelative && values.every((value) => value > 0) ? Math.exp(mean(values.map(Math.log))) : mean(values)
}

function orNull (value) {
  return Number.isFinite(value) ? value : null
}

function verdictOfAll (verdicts) {
  const shown = new Set(verdicts.filter((verdict) => verdict !== NO_DIFFERENCE))
  if (shown.size === 0) return NO_DIFFERENCE
  return shown.size === 1 ? [...shown][0] : 'mixed'
}

module.exports = { judge, NO_DIFFERENCE }
