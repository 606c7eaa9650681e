'use strict'

const { mean } = require('../statistics/summaries')
const { simultaneousIntervals } = require('../statistics/intervals')
const { METRICS, rowOf, blocksOf } = require('./metrics')

// The blocks of a run follow each other at once.
const WIDER_WITHIN_RUN = 1.25

const NO_DIFFERENCE = 'no difference shown'

/**
 * What two sides' results say about the difference between them: of the second, against the first.
 *
 * @param {object[]} first results
 * @param {object[]} second results
 * @param {object} options
 * @param {boolean} options.isPaired the runs were made in rounds, so that the results of one round belong together
 * @param {number} options.alpha the probability of a false alarm, over all metrics
 * @param {number} options.seed of the bootstrap
 * @returns {{ verdict: string, metrics: object }} see compare.js
 */
function judge (first, second, { isPaired, alpha, seed }) {
  const groups = isPaired ? [{ sign: 1, rows: differences(first, second) }] : [groupOf(second, 1), groupOf(first, -1)]
  const floors = METRICS.map((metric) => leastError(metric, first, second))
  const wider = first.length === 1 || second.length === 1 ? WIDER_WITHIN_RUN : 1
  const intervals = simultaneousIntervals(groups, { floors, alpha, wider, seed })
  const metrics = Object.fromEntries(METRICS.map((metric, index) => [metric.name, describe(metric, first, second, intervals[index])]))
  return { verdict: verdictOfAll(Object.values(metrics).map(({ verdict }) => verdict)), metrics }
}

function differences (first, second) {
  return first.map((result, round) => {
    const a = rowOf(result)
    return rowOf(second[round]).map((b, index) => b - a[index])
  })
}

function groupOf (results, sign) {
  return { sign, rows: results.length === 1 ? blocksOf(results[0]) : results.map(rowOf) }
}

// Numbers that come in steps can be equal in every round by chance, and a spread of 0 would make any difference certain.
function leastError (metric, ...sides) {
  const variances = sides.map((results) => {
    const steps = results.map((result) => metric.resolution(metric.value(result), result)).filter(Number.isFinite)
    return steps.length === 0 ? 0 : Math.max(...steps) ** 2 / 12 / results.length
  })
  return Math.sqrt(variances.reduce((sum, each) => sum + each, 0))
}

function describe (metric, first, second, { estimate, halfWidth }) {
  const [a, b] = [first, second].map((results) => central(metric, results))
  const toShare = metric.isRelative ? Math.expm1 : (value) => value
  const isKnown = Number.isFinite(estimate) && Number.isFinite(halfWidth)
  return {
    a,
    b,
    unit: metric.unit,
    better: metric.better,
    scale: metric.isRelative ? 'relative' : 'absolute',
    difference: orNull(toShare(estimate)),
    interval: isKnown ? [toShare(estimate - halfWidth), orNull(toShare(estimate + halfWidth))] : null,
    smallestDifference: isKnown ? orNull(toShare(halfWidth)) : null,
    verdict: isKnown && Math.abs(estimate) > halfWidth ? direction(metric, estimate) : NO_DIFFERENCE
  }
}

function direction ({ better }, estimate) {
  return (estimate > 0) === (better === 'higher') ? 'faster' : 'slower'
}

// On the scale on which the difference is taken, so that it is that of these two.
function central (metric, results) {
  const values = results.map(metric.value).filter(Number.isFinite)
  if (values.length === 0) return null
  return metric.isRelative ? Math.exp(mean(values.map(Math.log))) : mean(values)
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
