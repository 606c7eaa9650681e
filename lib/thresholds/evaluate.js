'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { HISTOGRAM_OF } = require('../metrics/figures')
const { boundsOf, copyBoundsOf } = require('./certainty')
const { failuresRange, isOfFailures } = require('./failures')
const { mismatchesRange, withoutLost } = require('./incomplete')
const { tidy } = require('./units')
const { parseThresholds } = require('./parse')
const { child, fieldsIn, placeIn, readValue } = require('./read-value')

/*
 * For each operator, whether the comparison is true for all values from `least` to `most`, and whether it is true for none of them. The
 * true value is in this range, so a verdict is certain if it is the same for all of them.
 */
const COMPARE = {
  '<': { all: ([, most], limit) => most < limit, none: ([least], limit) => least >= limit },
  '<=': { all: ([, most], limit) => most <= limit, none: ([least], limit) => least > limit },
  '>': { all: ([least], limit) => least > limit, none: ([, most], limit) => most <= limit },
  '>=': { all: ([least], limit) => least >= limit, none: ([, most], limit) => most < limit },
  '==': { all: isOnly, none: isOutside },
  '!=': { all: isOutside, none: isOnly }
}

function isOnly ([least, most], limit) {
  return least === limit && most === limit
}

function isOutside ([least, most], limit) {
  return typeof limit === 'number' ? limit < least || limit > most : limit !== least && limit !== most
}

/**
 * @param {[least: number, most: number]} range
 * @param {{ operator: string, limit: number|boolean }} threshold
 * @returns {?boolean} whether all values of a range meet a threshold, or none of them; null if some do
 */
function meets (range, { operator, limit }) {
  const { all, none } = COMPARE[operator]
  if (all(range, limit)) return true
  return none(range, limit) ? false : null
}

/**
 * Compares a result with thresholds.
 *
 * A threshold passes only if the true value is certain to meet it: a lower bound (of a request that timed out, was unfinished or
 * never sent) stands for any higher value. If there was no response at all, no threshold on a time passes.
 *
 * @param {object} result of a run; also read from JSON
 * @param {string|object|Array<string|object>} thresholds 'p99 < 50ms', { metric, operator, value }, { p99: '< 50ms' },
 *   or an array of these; see docs/studies.md, "Thresholds"
 * @returns {Array<{ threshold: string, metric: string, operator: string, limit: number|boolean, unit: string, actual:
 *   number|boolean|null, passed: boolean, certain: boolean, unanswered: object|undefined, atLeast: number|undefined, incomplete: object|undefined }>} one
 *   for each, in order. `limit` and `actual` are in `unit`: 'ms', 's', '%', '/s', 'B', 'B/s' or '' (a count). `actual` is null if
 *   the result has no such value, in which case the threshold doesn't pass. `certain`: whether the verdict is the same whatever the
 *   true value is; otherwise, the threshold doesn't pass. If it didn't pass and `actual` may not be the true value, or if
 *   it passed and only the true value meets the limit, `unanswered` is `{ count, of }`: how many of the underlying values are unknown, and
 *   `atLeast` is the minimum of the true value, if it differs from `actual`; if parts of the run were lost, `incomplete` is that of the result
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD; CANNONADE_BAD_ARGUMENT if `result` isn't the result of a run
 */
function evaluateThresholds (result, thresholds) {
  if (result === null || typeof result !== 'object' || typeof result.latency !== 'object' || result.latency === null) {
    throw new CannonadeError(CODES.BAD_ARGUMENT, 'thresholds can only be checked against the result of a run')
  }
  return parseThresholds(thresholds).map(({ field, ...threshold }) => ({ ...threshold, ...judge(result, { ...threshold, field }) }))
}

/**
 * The verdicts that a result contains. Earlier versions may have let a threshold pass because of a value that is only a lower bound, so
 * results that do not tell which of their values are missing are evaluated again.
 *
 * @param {object} result
 * @returns {object[]} see evaluateThresholds; verdicts that cannot be evaluated again are returned unchanged
 */
function verdictsOf (result) {
  const all = Array.isArray(result.thresholds) ? result.thresholds.filter((verdict) => verdict !== null && typeof verdict === 'object') : []
  return all.map((verdict) => {
    if (verdict.passed !== true || (verdict.certain !== undefined && result.missing !== undefined)) return verdict
    try {
      const [anew] = evaluateThresholds(result, verdict.threshold)
      return anew.certain || anew.actual === null ? verdict : anew
    } catch {
      return verdict
    }
  })
}

/**
 * @param {object} result
 * @param {object} threshold as parsed
 * @returns {{ actual: number|boolean|null, passed: boolean, certain: boolean, unanswered: object|undefined, atLeast: number|undefined, incomplete: object|undefined }}
 *   if it is about several endpoints, the verdict on the one that is furthest from meeting it
 */
function judge (result, threshold) {
  const verdicts = fieldsIn(result, threshold.field).map((field) => judgeField(result, { ...threshold, field }))
  return verdicts.reduce((worst, verdict) => isWorse(verdict, worst, threshold.operator) ? verdict : worst)
}

function isWorse (verdict, other, operator) {
  const [severity, others] = [verdict, other].map(({ passed, certain }) => passed ? 0 : certain ? 2 : 1)
  if (severity !== others) return severity > others
  return operator.startsWith('>') ? verdict.actual < other.actual : verdict.actual > other.actual
}

function judgeField (result, { field, operator, limit, unit }) {
  const value = readValue(result, field, unit)
  if (value === null) return { actual: null, passed: false, certain: false }
  const actual = typeof value === 'number' ? tidy(value) : value
  const told = rangeOf(result, field, actual, unit)
  const { range, ...unknown } = { ...told, ...withoutLost(result, field, unit, told.range) }
  const { all, none } = COMPARE[operator]
  const passed = all(range, limit) && !(field.isDuration && isUnanswered(result, field))
  // The value in the result may be too small for a limit that the true one meets.
  if (passed && all([actual, actual], limit)) return { actual, passed, certain: true }
  const [least] = range
  return { actual, passed, certain: passed || none(range, limit), ...unknown, ...(Number.isFinite(least) && least !== actual && { atLeast: least }) }
}

// The least and greatest value, and how many requests are the reason if these differ.
function rangeOf (result, field, actual, unit) {
  const { base, first } = placeOf(result, field.path)
  if (first === 'mismatches' && base !== undefined) return mismatchesRange(base, actual, unit)
  if (isOfFailures(field) && base !== undefined) return failuresRange(base, actual, unit)
  const bounds = field.isDuration || isCause(field) ? boundsOfField(result, field) : null
  if (bounds === null || bounds.count === 0) return { range: [actual, actual] }
  const { atLeast, atMost } = bounds.range(field.path.at(-1), actual, field.percentile?.percent)
  const range = [tidy(atLeast), tidy(atMost)]
  // Even a value that is certain may not be the one in the result, whose ranks do not count the missing ones.
  if (range[0] === actual && range[1] === actual) return { range }
  return { range, unanswered: { count: bounds.count, of: bounds.total } }
}

/** What is unknown about the values of the figure that a field belongs to; null if it is not a figure. */
function boundsOfField (result, { path }) {
  const { base, endpoint, place } = placeOf(result, path)
  if (base === undefined) return null
  if (endpoint !== null) return boundsOf(base, 'latency', endpoint)
  if (place === 'broadcast.lastCopy') return copyBoundsOf(base)
  if (place === 'sendDelay.causes') return causeBounds(boundsOf(base, 'sendDelay'))
  return HISTOGRAM_OF.has(place) || place === 'latencyWithUnfinished' ? boundsOf(base, place) : null
}

const isCause = ({ path }) => path.at(-2) === 'causes'

// Causes are parts of the mean delay of sent requests. Requests that were never sent may have had any of them.
function causeBounds ({ count, size, total }) {
  return { count, total, range: (name, value) => ({ atLeast: value * size / total, atMost: Infinity }) }
}

function isUnanswered (result, { path }) {
  const { base, endpoint } = placeOf(result, path)
  return (endpoint === null ? base?.accounting?.completed ?? base?.requests?.total : endpoint.completed) === 0
}

// Finds the result (or its warm-up, or one of its scenarios) and the endpoint that a field belongs to, and the path of its figure.
function placeOf (result, path) {
  const { base, names } = placeIn(result, path)
  const [first, key] = names
  const endpoint = first === 'endpoints' ? child(base?.endpoints, key) ?? {} : null
  return { base: base ?? undefined, first, endpoint, place: endpoint === null ? names.slice(0, -1).join('.') : 'latency' }
}

module.exports = { evaluateThresholds, verdictsOf, judge, meets, boundsOfField }
