'use strict'

const { failuresOf } = require('../metrics/failure-count')

/** Whether a field is `failures` or a part of it. @param {{ path: Array }} field */
function isOfFailures ({ path }) {
  return path.at(-2) === 'failures'
}

/**
 * The possible range of failures. Bodies that were not verified may not match, and if nothing was answered, nothing is known.
 *
 * @param {object} result
 * @param {number} actual failures, or their share
 * @param {string} unit '%' for the share
 * @returns {{ range: number[], unanswered: { count: number, of: number }|undefined }} see rangeOf of evaluate.js
 */
function failuresRange (result, actual, unit) {
  const { atLeast, atMost, attempts } = failuresOf(result)
  const completed = result.requests?.total ?? result.accounting?.completed ?? 0
  const open = undecided(result)
  const most = Math.min(attempts, atMost + open)
  if (completed > 0 && most === atLeast) return { range: [actual, actual] }
  if (completed === 0) return { range: [actual, Infinity] }
  const unanswered = { count: most - atLeast, of: attempts }
  return { range: unit === '%' ? [actual, 100 * most / attempts] : [atLeast, most], unanswered }
}

// Bodies of completed requests on which verifyBody has not decided.
function undecided ({ unverified = 0, accounting, rate, sessions }) {
  if (unverified === 0 || accounting === undefined) return 0
  const { failed, timedOut, unsent, unfinished = 0 } = accounting
  return Math.max(0, unverified - failed - timedOut - unsent - (rate || sessions ? unfinished : 0))
}

module.exports = { failuresOf, failuresRange, isOfFailures }
