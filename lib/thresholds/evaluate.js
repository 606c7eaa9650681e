'use strict'

const { CannonadeError, CODES } = require('../errors')
const { tidy } = require('./units')
const { parseThresholds } = require('./parse')
const { readValue } = require('./read-value')

const COMPARE = {
  '<': (actual, limit) => actual < limit,
  '<=': (actual, limit) => actual <= limit,
  '>': (actual, limit) => actual > limit,
  '>=': (actual, limit) => actual >= limit,
  '==': (actual, limit) => actual === limit,
  '!=': (actual, limit) => actual !== limit
}

/**
 * Holds a result against thresholds.
 *
 * @param {object} result of a run; one read back from JSON as well
 * @param {string|object|Array<string|object>} thresholds 'p99 < 50ms', { metric, operator, value }, { p99: '< 50ms' },
 *   or an array of these; see docs/studies.md, "Thresholds"
 * @returns {Array<{ threshold: string, metric: string, operator: string, limit: number|boolean, unit: string, actual:
 *   number|boolean|null, passed: boolean }>} one for each, in order. `limit` and `actual` are in `unit`: 'ms', 's', '%',
 *   '/s', 'B', 'B/s' or '' (a count). `actual` is null where the result has no such value, and then nothing is passed
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD; CANNONADE_BAD_ARGUMENT where `result` is not the result of a run
 */
function evaluateThresholds (result, thresholds) {
  if (result === null || typeof result !== 'object' || typeof result.latency !== 'object' || result.latency === null) {
    throw new CannonadeError(CODES.BAD_ARGUMENT, 'thresholds can only be checked against the result of a run')
  }
  return parseThresholds(thresholds).map(({ field, ...threshold }) => {
    const value = readValue(result, field, threshold.unit)
    const actual = typeof value === 'number' ? tidy(value) : value
    return { ...threshold, actual, passed: actual !== null && COMPARE[threshold.operator](actual, threshold.limit) }
  })
}

module.exports = { evaluateThresholds, COMPARE }
