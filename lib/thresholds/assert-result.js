'use strict'

const { AssertionError } = require('node:assert')
const { CannonadeError, CODES } = require('../base/errors')
const { evaluateThresholds, verdictsOf } = require('./evaluate')
const { actualInWords, limitInWords, verdictInWords } = require('./words')

/**
 * Throws unless a result meets all thresholds.
 *
 * @param {object} result of a run; also read from JSON
 * @param {string|object|Array<string|object>} [thresholds] as for evaluateThresholds; default: those of the run itself
 * @returns {object[]} the verdicts of evaluateThresholds, all of which passed
 * @throws {AssertionError} of node:assert. `message` lists all thresholds with their actual values, `actual` and `expected` are
 *   objects with those that failed, `thresholds` has the verdicts of evaluateThresholds
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD, CANNONADE_BAD_ARGUMENT
 */
function assertResult (result, thresholds) {
  const all = thresholds === undefined ? ownThresholds(result) : evaluateThresholds(result, thresholds)
  const failed = all.filter(({ passed }) => !passed)
  if (failed.length === 0) return all
  const error = new AssertionError({
    message: [messageOf(all, failed), ...reservations(result)].join('\n'),
    actual: Object.fromEntries(failed.map((threshold) => [threshold.metric, actualInWords(threshold)])),
    expected: Object.fromEntries(failed.map((threshold) => [threshold.metric, limitInWords(threshold)])),
    operator: 'thresholds',
    stackStartFn: assertResult
  })
  // Not enumerable, because test runners would print it below the message, which says the same.
  throw Object.defineProperty(error, 'thresholds', { value: all })
}

function ownThresholds (result) {
  if (Array.isArray(result?.thresholds)) return verdictsOf(result)
  throw new CannonadeError(CODES.BAD_ARGUMENT, 'assertResult needs thresholds: give them to it, or to the run')
}

// Warnings that bear on the verdict: the numbers may not be those of the server, or not those of the whole run.
const ON_VERDICTS = new Set([
  'GENERATOR_SATURATED', 'RATE_NOT_ACHIEVED', 'STOPPED', 'NO_ANSWER', 'NO_CONNECTION', 'NO_USABLE_CONNECTION', 'URL_WITHOUT_CONNECTION', 'NON_2XX',
  'LATENCY_BOUND', 'LATENCY_INCOMPLETE', 'NO_FILE_DESCRIPTORS', 'NO_LOCAL_PORTS', 'NO_LOCAL_ADDRESS', 'BODIES_NOT_VERIFIED'
])

function reservations ({ warnings }) {
  const all = Array.isArray(warnings) ? warnings : []
  return all.filter((warning) => ON_VERDICTS.has(warning?.code)).map(({ message }) => `  Warning: ${message}`)
}

function messageOf (all, failed) {
  const heading = all.length === 1
    ? 'the threshold was not met:'
    : `${failed.length} of ${all.length} thresholds ${failed.length === 1 ? 'was' : 'were'} not met:`
  const lines = [...failed, ...all.filter(({ passed }) => passed)]
    .map((threshold) => `  ${threshold.passed ? '✓' : '✗'} ${verdictInWords(threshold)}`)
  return [heading, ...lines].join('\n')
}

module.exports = { assertResult }
