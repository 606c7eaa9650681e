'use strict'

const { MOVED_BY_ONE } = require('./certainty')
const { boundsOfField, judge } = require('./evaluate')
const { readValue } = require('./read-value')
const { tidy } = require('./units')

/*
 * Which thresholds a run can no longer meet while it is still going on: those that say a number that only ever grows (or
 * shrinks) is to stay small (or large); upper limits to what a single request without an answer leaves open (the longest,
 * the mean of a time, whether its body was as it should be), once there is such a one; and those about its warm-up, which is over by then.
 */

/** With these, a number that goes this way and is beyond the limit will not come back. */
const LOSABLE = { up: ['<', '<=', '=='], down: ['>', '>=', '=='] }

/** @param {object} threshold as parsed */
function canBeLost ({ field, operator, unit, limit }) {
  if (isOfWarmup(field) || isOpenUpwards(field, operator)) return true
  if (!LOSABLE[field.trend]?.includes(operator)) return false
  // A share may still shrink again, but never to nothing.
  return unit !== '%' || limit <= 0
}

const isOfWarmup = ({ path }) => path[0] === 'warmup'

// Copies that are missing may still come.
function isOpenUpwards ({ isDuration, path }, operator) {
  return isDuration && LOSABLE.up.includes(operator) && MOVED_BY_ONE.has(path.at(-1)) && path[0] !== 'broadcast'
}

/**
 * The first threshold that is lost, whatever comes yet.
 *
 * @param {object[]} thresholds as parsed
 * @param {object} standing what stands of the result so far, see standing.js of the metrics
 * @returns {object|null} the threshold, with `actual` and what else `judge` says of it by now; null while all can still be
 *   met
 */
function findLost (thresholds, standing) {
  for (const threshold of thresholds.filter(canBeLost)) {
    const verdict = isOfWarmup(threshold.field) ? missed(threshold, standing) : lost(threshold, standing)
    if (verdict !== null) return { ...threshold, ...verdict }
  }
  return null
}

// Only the first of several rounds has a warm-up.
function missed (threshold, standing) {
  if (standing.warmup === null) return null
  const verdict = judge(standing, threshold)
  return verdict.passed ? null : verdict
}

function lost (threshold, standing) {
  const value = readValue(standing, threshold.field, threshold.unit)
  const actual = typeof value === 'number' ? tidy(value) : value
  if (actual !== null && isBeyond(threshold, actual)) return { actual, passed: false, certain: true }
  if (threshold.field.path[0] === 'mismatches') return lostBodies(threshold, standing, actual)
  if (!isOpenUpwards(threshold.field, threshold.operator)) return null
  const bounds = boundsOfField(standing, threshold.field)
  if (!(bounds?.count > 0)) return null
  return { actual, passed: false, certain: false, unanswered: { count: bounds.count, of: bounds.total } }
}

// Where bodies are verified, those of requests that were not completed will never be.
function lostBodies (threshold, standing, actual) {
  const { unverified } = standing
  if (actual === null || threshold.unit === '%' || !isBeyond(threshold, actual + (unverified ?? 0))) return null
  return { actual, passed: false, certain: false, unanswered: { count: unverified, of: standing.accounting.completed + unverified } }
}

// A mean goes both ways.
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
