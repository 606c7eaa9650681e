'use strict'

const { createRunId } = require('./websocket')

/**
 * Returns the plan of a later round of a `forever` run. It has no warm-up, and a new ID prefix for broadcasts, since
 * copies of messages from the previous round may still arrive.
 *
 * @param {object} plan
 * @returns {object}
 */
function planOfNextRound (plan) {
  const { websocket } = plan
  return { ...plan, warmup: null, websocket: websocket && { ...websocket, runId: createRunId() } }
}

module.exports = planOfNextRound
