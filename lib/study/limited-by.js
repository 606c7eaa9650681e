'use strict'

const { isQuick, whoseErrors, whoWasLate } = require('../metrics/lateness')

/**
 * What kept a rate from being reached: the server, the load generator, or too few connections. See lateness.js, which judges.
 *
 * @param {object} result of a run that failed
 * @param {object|null} idle the run against the same server in which it answered most quickly, where there is another
 * @param {boolean} [isKeptUp=false] the rate was reached, and only some answers came too late
 * @returns {{ limitedBy: 'server'|'generator'|'connections', reasons: string[] }} reasons in words, where it is not the server
 */
function limitedBy (result, idle, isKeptUp = false) {
  const { who, reason } = whoWasLate(result, idle, isKeptUp)
  return { limitedBy: who, reasons: reason === null ? [] : [reason] }
}

/**
 * The same of a run that failed by its errors. A generator can be slow, but the answers are the server's.
 *
 * @param {object} result
 * @returns {{ limitedBy: 'server'|'generator', reasons: string[] }}
 */
function errorsBy (result) {
  const { who, reason } = whoseErrors(result)
  return { limitedBy: who, reasons: reason === null ? result.generator.reasons : [reason] }
}

/**
 * The same, said of one run whose generator may have been saturated as well: late or busy, though not so much that it
 * explains all. Then it is not for the server alone to answer for the numbers, and where the server answered as quickly
 * as ever, not at all.
 *
 * @param {{ limitedBy: 'server'|'generator'|'connections', reasons: string[] }} limit
 * @param {object} result
 * @param {object|null} idle see limitedBy
 * @returns {{ limitedBy: 'server'|'generator'|'connections'|'both', reasons: string[] }}
 */
function withSaturation (limit, result, idle) {
  const { saturated, reasons } = result.generator
  if (limit.limitedBy !== 'server' || !saturated) return limit
  return { limitedBy: isQuick(result, idle) ? 'generator' : 'both', reasons }
}

/** Of two results (the first may be null) that in which the server answered more quickly. */
function quicker (first, second) {
  if (first === null || first.serviceTime.totalCount === 0) return second
  return second.serviceTime.totalCount > 0 && second.serviceTime.p50 < first.serviceTime.p50 ? second : first
}

module.exports = { errorsBy, limitedBy, quicker, withSaturation }
