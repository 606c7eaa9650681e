'use strict'

const { beyond } = require('./missing-times')

/**
 * Of how many requests nobody knows whether their body is what it should be: verifyBody has not decided, or there is no body to look at
 * because the request came to no complete response. What was merely in flight when the closed model ended counts where it does for times.
 *
 * @param {object} summary merged, see merge.js
 * @param {{ latency: Distribution }} timings see composeTimings
 * @returns {number|undefined} undefined where nobody looks at bodies
 */
function unverifiedOf ({ open, verifies, counters, endpoints }, { latency }) {
  if (!verifies) return undefined
  const { undecided, failed, timedOut, unfinished, unsent } = counters
  const waiting = open ? unfinished : beyond(endpoints.flatMap(({ waiting }) => waiting), latency).length
  return undecided + failed + timedOut + unsent + waiting
}

module.exports = unverifiedOf
