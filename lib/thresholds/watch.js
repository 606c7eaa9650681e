'use strict'

const { COMPARE } = require('./evaluate')
const { readValue } = require('./read-value')
const { tidy } = require('./units')

/*
 * Which thresholds a run can no longer meet while it is still going on: those that say a number that only ever grows (or
 * shrinks) is to stay small (or large), and those about its warm-up, which is over by then.
 */

/** With these, a number that goes this way and is beyond the limit will not come back. */
const LOSABLE = { up: ['<', '<=', '=='], down: ['>', '>=', '=='] }

/** @param {object} threshold as parsed */
function canBeLost ({ field, operator, unit, limit }) {
  if (isOfWarmup(field)) return true
  if (!LOSABLE[field.trend]?.includes(operator)) return false
  // A share may still shrink again, but never to nothing.
  return unit !== '%' || limit <= 0
}

const isOfWarmup = ({ path }) => path[0] === 'warmup'

/**
 * The first threshold that is lost, whatever comes yet.
 *
 * @param {object[]} thresholds as parsed
 * @param {object} standing what stands of the result so far, see standing.js of the metrics
 * @returns {{ threshold: object, actual: number }|null} null while all can still be met
 */
function findLost (thresholds, standing) {
  for (const threshold of thresholds.filter(canBeLost)) {
    const value = readValue(standing, threshold.field, threshold.unit)
    const actual = typeof value === 'number' ? tidy(value) : value
    if (isOfWarmup(threshold.field) ? isMissed(threshold, actual, standing) : isLost(threshold, actual)) return { threshold, actual }
  }
  return null
}

// Only the first of several rounds has a warm-up.
function isMissed ({ operator, limit }, actual, { warmup }) {
  return warmup !== null && (actual === null || !COMPARE[operator](actual, limit))
}

function isLost ({ field, operator, limit }, actual) {
  if (actual === null) return false
  if (operator === '==') return field.trend === 'up' ? actual > limit : actual < limit
  return !COMPARE[operator](actual, limit)
}

module.exports = { canBeLost, findLost }
