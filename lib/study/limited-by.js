'use strict'

const { isQuick, whoseErrors, whoWasLate } = require('../metrics/lateness')

/**
 * Determines why a rate wasn't reached: because of the server, the load generator, or too few connections. See lateness.js for the
 * criteria.
 *
 * @param {object} result of a run that failed
 * @param {object|null} idle the run with the fastest responses of the same server, if there is another one
 * @param {boolean} [isKeptUp=false] the rate was reached, but some responses were too late
 * @returns {{ limitedBy: 'server'|'generator'|'connections', reasons: string[] }} reasons as text, if it is not the server
 */
function limitedBy (result, idle, isKeptUp = false) {
  const { who, reason } = whoWasLate(result, idle, isKeptUp)
  return { limitedBy: who, reasons: reason === null ? [] : [reason] }
}

/**
 * The same for a run that failed because of errors. The generator can be slow, but it isn't responsible for the responses.
 *
 * @param {object} result
 * @returns {{ limitedBy: 'server'|'generator', reasons: string[] }}
 */
function errorsBy (result) {
  const { who, reason } = whoseErrors(result)
  return { limitedBy: who, reasons: reason === null ? result.generator.reasons : [reason] }
}

/**
 * The same for a run whose generator may have been saturated in addition: late or busy, but not enough to explain everything. The
 * server is then not the only bottleneck, and if it responded as fast as ever, it is none.
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

/** Returns the result with the faster responses. The first may be null. */
function quicker (first, second) {
  if (first === null || first.serviceTime.totalCount === 0) return second
  return second.serviceTime.totalCount > 0 && second.serviceTime.p50 < first.serviceTime.p50 ? second : first
}

module.exports = { errorsBy, limitedBy, quicker, withSaturation }
