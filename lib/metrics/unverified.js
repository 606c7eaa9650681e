'use strict'

const { beyond } = require('./missing-times')

/**
 * Counts requests whose body may or may not be correct: verifyBody has not decided yet, or there is no body to verify because there was
 * no complete response. Requests in flight at the end of the closed model count by the same rule as for missing times.
 *
 * @param {object} summary merged, see merge.js
 * @param {{ latency: Distribution }} timings see composeTimings
 * @returns {number|undefined} undefined if bodies are not verified
 */
function unverifiedOf ({ open, verifies, counters, endpoints }, { latency }) {
  if (!verifies) return undefined
  const { undecided, failed, timedOut, unfinished, unsent } = counters
  const waiting = open ? unfinished : beyond(endpoints.flatMap(({ waiting }) => waiting), latency).length
  return undecided + failed + timedOut + unsent + waiting
}

module.exports = unverifiedOf
