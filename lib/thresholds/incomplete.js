'use strict'

const { placeIn } = require('./read-value')

/*
 * What is known about a result if parts of its run were lost (for example, agents of a fleet that crashed):
 *
 *     set by the plan, or measured on this machine             the value
 *     can only grow                                            at least the value: lost parts did more than they reported
 *     everything else: shares, averages, percentiles           nothing
 *
 * The counts of a lost part are closed as if it had ended with its last report (docs/fleet.md, "When something fails"): a request that
 * was waiting counts as unsent, and one in flight as unfinished. Such counts are not lower bounds either, because the request may have
 * been sent, or answered, after that report.
 */

const OF_THE_PLAN = new Set(['connections', 'pipelining', 'workers', 'sampleInt'])
const OF_THIS_MACHINE = new Set(['monitor'])
const CLOSED = new Set(['accounting.unsent', 'connectionStats.closedByClient', 'latencyBounds.count'])
// The schedule tells the offered rate and its duration; only the number of completed requests may be larger.
const RATES = new Map([['rate.offered', isKnown], ['sessions.rate.offered', isKnown], ['rate.achieved', isLeast], ['sessions.rate.achieved', isLeast]])

/**
 * The range of possible values of a field if parts of the run were lost.
 *
 * @param {object} result
 * @param {object} field see names.js
 * @param {string} unit '%' if it is a share
 * @param {Array} range of the value, had nothing been lost
 * @returns {?{ range: Array, incomplete: object }} null if the loss does not affect the field
 */
function withoutLost (result, { path, trend }, unit, range) {
  const { run, base, names: own } = placeIn(result, path)
  const { incomplete } = run ?? {}
  if (!(incomplete?.parts > 0)) return null
  if (OF_THE_PLAN.has(own[0]) || OF_THIS_MACHINE.has(own[0])) return null
  const widen = RATES.get(own.join('.'))
  // The schedule does not tell of which scenario the lost sessions would have been, nor how many requests they would have made.
  if (widen !== undefined && base !== run) return unit === '%' ? { range: nothingKnown(range), incomplete } : isLeast(range, incomplete)
  if (widen !== undefined && !(own[0] === 'rate' && base?.sessions !== undefined)) return widen(range, incomplete)
  const isCount = trend === 'up' && unit !== '%' && !CLOSED.has(own.slice(-2).join('.'))
  return isCount ? isLeast(range, incomplete) : { range: nothingKnown(range), incomplete }
}

function isKnown () {
  return null
}

function isLeast ([least], incomplete) {
  return { range: [least, Infinity], incomplete }
}

function nothingKnown ([value]) {
  return typeof value === 'boolean' ? [false, true] : [-Infinity, Infinity]
}

/**
 * The possible range of mismatches: each body that was not verified may be one. Without expectBody and verifyBody no body was verified,
 * and if no request was completed, there was none to verify.
 *
 * @param {object} result
 * @param {number} actual the mismatches found, or their share of the completed requests
 * @param {string} unit '%' for the share
 * @returns {{ range: number[], unanswered: { count: number, of: number }|undefined }} see rangeOf of evaluate.js
 */
function mismatchesRange ({ mismatches, unverified, missing, accounting, rate, sessions }, actual, unit) {
  // Results of earlier versions do not count unverified bodies.
  if (missing === undefined || (unverified === 0 && accounting?.completed > 0)) return { range: [actual, actual] }
  const { completed = 0, failed = 0, timedOut = 0, unsent = 0, unfinished = 0 } = accounting ?? {}
  const count = unverified ?? completed
  // Unverified bodies of requests that were not completed. In a closed model, requests in flight at the end count only if they are old.
  const others = unverified === undefined ? 0 : Math.min(count, failed + timedOut + unsent + (rate || sessions ? unfinished : 0))
  const unanswered = { count, of: completed + others }
  if (completed === 0) return { range: [actual, Infinity], unanswered }
  if (unit !== '%') return { range: [mismatches, mismatches + count], unanswered }
  return { range: [100 * mismatches / (completed + count), 100 * (mismatches + count) / (completed + others)], unanswered }
}

module.exports = { mismatchesRange, withoutLost }
