'use strict'

const { createTraceKey, traced } = require('./traceparent')
const { createRunId } = require('./websocket')

/**
 * Returns the plan of a later round of a `forever` run. It has no warm-up, and a new ID prefix for broadcasts, since
 * copies of messages from the previous round may still arrive. Its trace ids are others as well.
 *
 * @param {object} plan
 * @returns {object}
 */
function planOfNextRound (plan) {
  const { websocket, targets } = plan
  const traceKey = createTraceKey({ traceparent: plan.traceKey !== null })
  return { ...plan, warmup: null, websocket: websocket && { ...websocket, runId: createRunId() }, traceKey, targets: targets.map((target) => traced(target, traceKey)) }
}

module.exports = planOfNextRound
