'use strict'

const { circumstancesOf } = require('../../base/circumstances')
const { isOption } = require('../../plan/unknown')
const { failuresOf } = require('../../thresholds/failures')
const { monitoredIn, statusesOf } = require('../row-values')
const { hotOf } = require('./hot')
const { judge } = require('./judge')
const { valuesOf } = require('./metrics')
const { prepare } = require('./prepare')
const { checkRegression, worst } = require('./regression')
const { hasWorseUsers } = require('./users')
const { isWhole, isWithoutAnswer, warningsOf, wasCutShort } = require('./warnings')

/** The probability that equal sides are reported as different, over all metrics and comparisons together. */
const FALSE_ALARM_RATE = 0.05

const METHODS = {
  paired: 'paired bootstrap over rounds',
  separate: 'bootstrap over runs',
  single: 'block bootstrap within a single run'
}

/**
 * Creates the result of a comparison from the results of all sides.
 *
 * @param {object[]} all sides: `{ name, isSaved, results }`
 * @param {object} settings
 * @param {object[]} warnings found so far
 * @param {object} [end]
 * @param {boolean} [end.isStopped] it was stopped before it was over
 * @param {boolean} [end.hasLostFleet] runs lost agents of their fleet, or the study failed: then no check passes
 * @returns {object} the result of a comparison
 */
function comparisonResult (all, settings, warnings, { isStopped = false, hasLostFleet = false } = {}) {
  const sides = all.map((side) => ({ ...side, results: side.results.filter(isWhole), all: side.results }))
  const [first, ...others] = sides
  const method = methodOf(sides)
  const comparisons = others.map((side) => ({
    name: side.name,
    comparedWith: first.name,
    ...differenceOf(first, side),
    ...judged(first, side, {
      isPaired: method === METHODS.paired,
      // Divided among the comparisons, so that together they keep the rate.
      alpha: FALSE_ALARM_RATE / others.length,
      seed: settings.seed
    }, settings, hasLostFleet)
  }))
  const [{ verdict, metrics, regression }] = comparisons
  return {
    kind: 'comparison',
    verdict,
    metrics,
    ...(regression && regressionOfAll(comparisons, regression)),
    comparisons,
    sides: sides.map(({ name, results, all, isSaved }) => ({ name, url: all[0]?.url, isSaved, runs: results.length, statuses: statusesOf(results) })),
    confidence: 1 - FALSE_ALARM_RATE,
    falseAlarmRate: method === METHODS.single ? null : FALSE_ALARM_RATE,
    method,
    runs: sides.flatMap(({ results }, side) => results.map((result, round) => ({ side, round, ...valuesOf(result), ...monitoredIn(result) }))),
    warnings: [...warnings, ...warningsOf(sides, { metrics, rounds: settings.rounds, isStopped })]
  }
}

function methodOf (sides) {
  if (sides.some(({ results }) => results.length < 2)) return METHODS.single
  return sides.some(({ isSaved }) => isSaved) ? METHODS.separate : METHODS.paired
}

function differenceOf (first, side) {
  const hot = hotOf(first.results, side.results)
  return hot === null ? {} : { hot }
}

function judged (first, second, options, { maxRegression }, hasLostFleet) {
  const judgement = judge(first.results, second.results, options)
  if (!maxRegression) return judgement
  const isUnknown = hasLostFleet || hasWorseUsers(first.results, second.results) || [first, second].some(({ results, all }) => isWithoutAnswer(results) || !all.every(isWhole) || all.some(wasCutShort))
  const hasWorseResponses = failingResponses(second.results) > failingResponses(first.results)
  return { ...judgement, regression: checkRegression(judgement.metrics, maxRegression, { ...measured(first.results, second.results), isUnknown, hasWorseResponses }) }
}

// The share of responses that are failures. Their times count like all others; those of requests without a response are bounds.
function failingResponses (results) {
  const failing = results.map((result) => failuresOf(result).atLeast - (result.errors ?? 0))
  return sum(failing) / Math.max(1, sum(results.map(({ requests }) => requests.total)))
}

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0)

// For single runs, their length determines the precision.
function measured (...sides) {
  const rounds = Math.min(...sides.map(({ length }) => length))
  if (rounds !== 1) return { rounds, seconds: null }
  return { rounds: null, seconds: Math.min(...sides.filter(({ length }) => length === 1).map(([{ duration }]) => duration ?? 0)) }
}

function regressionOfAll (comparisons, regression) {
  const verdict = worst(comparisons.map(({ regression }) => regression.verdict))
  return { regression, regressionVerdict: verdict, passed: verdict === 'passed' }
}

/**
 * Compares saved results, synchronously.
 *
 * @param {Array<object|object[]>} items results, or arrays of them; two or more
 * @param {object} [settings] as for `compare`
 * @returns {object} the same result as that of `compare`, without `start` and `finish`
 * @throws {CannonadeError} CANNONADE_BAD_RESULT, CANNONADE_BAD_OPTION
 */
function compareResults (items, settings) {
  const prepared = prepare(items, settings)
  return { ...comparisonResult(prepared.sides, prepared.settings, prepared.warnings), ...circumstancesOf(prepared.options, isOption) }
}

module.exports = { comparisonResult, compareResults }
