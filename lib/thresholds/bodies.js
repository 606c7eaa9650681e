'use strict'

/**
 * How many mismatches there may be: each body that nobody verified may be one. Without expectBody and verifyBody nobody verified any,
 * and where no request was completed there was none to verify.
 *
 * @param {object} result
 * @param {number} actual the mismatches that were seen, or their share of the completed requests
 * @param {string} unit '%' for the share
 * @returns {{ range: number[], unanswered: { count: number, of: number }|undefined }} see rangeOf of evaluate.js
 */
function mismatchesRange ({ mismatches, unverified, missing, accounting, rate, sessions }, actual, unit) {
  // An earlier version did not count them.
  if (missing === undefined || (unverified === 0 && accounting.completed > 0)) return { range: [actual, actual] }
  const { completed, failed, timedOut, unsent, unfinished } = accounting
  const count = unverified ?? completed
  // Of those, the ones that would have been completed as well. What is in flight when the closed model ends counts only where it is old.
  const others = unverified === undefined ? 0 : Math.min(count, failed + timedOut + unsent + (rate || sessions ? unfinished : 0))
  const unanswered = { count, of: completed + others }
  if (completed === 0) return { range: [actual, Infinity], unanswered }
  if (unit !== '%') return { range: [mismatches, mismatches + count], unanswered }
  return { range: [100 * mismatches / (completed + count), 100 * (mismatches + count) / (completed + others)], unanswered }
}

module.exports = { mismatchesRange }
