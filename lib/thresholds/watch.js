'use strict'

const { MOVED_BY_ONE } = require('./certainty')
const { boundsOfField, judge } = require('./evaluate')
const { fieldsIn, readValue } = require('./read-value')
const { tidy } = require('./units')

/*
 * Finds thresholds that a run can no longer meet while it is still in progress: upper limits on numbers that only grow (or lower limits on
 * numbers that only shrink); upper limits on values that a single unanswered request makes uncertain (a maximum, a mean time, whether
 * bodies match), once there is one; and thresholds on the warm-up, which is complete by then.
 */

/** Operators with which a number that only changes in this direction cannot return from beyond the limit. */
const LOSABLE = { up: ['<', '<=', '=='], down: ['>', '>=', '=='] }

/** @param {object} threshold as parsed */
function canBeLost ({ field, operator, unit, limit }) {
  if (isOfWarmup(field) || isOpenUpwards(field, operator)) return true
  if (!LOSABLE[field.trend]?.includes(operator)) return false
  // A share may come back, but never to 0% or 100% once it has been elsewhere.
  return unit !== '%' || (field.trend === 'up' ? limit <= 0 : limit >= 100)
}

const isOfWarmup = ({ path }) => path[0] === 'warmup'

// Thresholds on broadcasts are excluded, because missing copies may still arrive.
function isOpenUpwards ({ isDuration, path }, operator) {
  return isDuration && LOSABLE.up.includes(operator) && MOVED_BY_ONE.has(path.at(-1)) && path[0] !== 'broadcast'
}

/**
 * Finds the first threshold that can no longer be met, whatever happens next.
 *
 * @param {object[]} thresholds as parsed
 * @param {object} interim the part of the result that is known so far, see metrics/interim-result.js
 * @returns {object|null} the threshold, with `actual` and the other fields of `judge` as of now; null as long as all can still be
 *   met
 */
function findLost (thresholds, interim) {
  for (const threshold of thresholds.filter(canBeLost)) {
    const verdicts = fieldsIn(interim, threshold.field).map((field) => verdictOn({ ...threshold, field }, interim))
    const verdict = verdicts.find((each) => each !== null)
    if (verdict !== undefined) return { ...threshold, ...verdict }
  }
  return null
}

function verdictOn (threshold, interim) {
  return isOfWarmup(threshold.field) ? missed(threshold, interim) : lost(threshold, interim)
}

// If there are several rounds, only the first one has a warm-up.
function missed (threshold, interim) {
  if (interim.warmup === null) return null
  const verdict = judge(interim, threshold)
  return verdict.passed ? null : verdict
}

function lost (threshold, interim) {
  const value = readValue(interim, threshold.field, threshold.unit)
  const actual = typeof value === 'number' ? tidy(value) : value
  if (actual !== null && isBeyond(threshold, actual)) return { actual, passed: false, certain: true }
  if (threshold.field.path[0] === 'mismatches') return lostBodies(threshold, interim, actual)
  if (!isOpenUpwards(threshold.field, threshold.operator)) return null
  const bounds = boundsOfField(interim, threshold.field)
  if (!(bounds?.count > 0)) return null
  return { actual, passed: false, certain: false, unanswered: { count: bounds.count, of: bounds.total } }
}

// Bodies of requests that did not complete will never be verified.
function lostBodies (threshold, interim, actual) {
  const { unverified } = interim
  if (actual === null || threshold.unit === '%' || !isBeyond(threshold, actual + (unverified ?? 0))) return null
  return { actual, passed: false, certain: false, unanswered: { count: unverified, of: interim.accounting.completed + unverified } }
}

// Numbers without a trend (such as a mean) can still return from beyond the limit.
function isBeyond ({ field, operator, limit }, actual) {
  switch (field.trend === 'up' ? operator : field.trend === 'down' ? operator.replace('==', '>=') : null) {
    case '<': return actual >= limit
    case '<=': case '==': return actual > limit
    case '>': return actual <= limit
    case '>=': return actual < limit
    default: return false
  }
}

module.exports = { canBeLost, findLost }
