'use strict'

const { createRunId } = require('./websocket')

/**
 * The plan of a round that follows another (`forever`). It has no warm-up, and messages that it sends to all have ids of its own:
 * copies of what the round before has sent may come still.
 *
 * @param {object} plan
 * @returns {object}
 */
function planOfNextRound (plan) {
  const { websocket } = plan
  return { ...plan, warmup: null, websocket: websocket && { ...websocket, runId: createRunId() } }
}

module.exports = planOfNextRound
