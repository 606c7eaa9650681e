'use strict'

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
  if (missing === undefined || (unverified === 0 && accounting.completed > 0)) return { range: [actual, actual] }
  const { completed, failed, timedOut, unsent, unfinished } = accounting
  const count = unverified ?? completed
  // Unverified bodies of requests that were not completed. In a closed model, requests in flight at the end count only if they are old.
  const others = unverified === undefined ? 0 : Math.min(count, failed + timedOut + unsent + (rate || sessions ? unfinished : 0))
  const unanswered = { count, of: completed + others }
  if (completed === 0) return { range: [actual, Infinity], unanswered }
  if (unit !== '%') return { range: [mismatches, mismatches + count], unanswered }
  return { range: [100 * mismatches / (completed + count), 100 * (mismatches + count) / (completed + others)], unanswered }
}

module.exports = { mismatchesRange }
