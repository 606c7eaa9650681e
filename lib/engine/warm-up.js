'use strict'

/**
 * Creates the plan of a run's warm-up: the same load, ended only by the clock.
 *
 * @param {object} plan of the run, with a `warmup`
 */
function planOfWarmup (plan) {
  const { sessions, websocket, warmup } = plan
  return {
    ...plan,
    ...warmup,
    schedule: scheduleFor(plan, warmup.connections),
    rampUp: null,
    websocket: websocket && { ...websocket, isWarmup: true },
    amount: null,
    sessions: sessions && { ...sessions, amount: null },
    maxConnectionRequests: null,
    maxOverallRequests: null,
    bailout: null,
    diagnose: false,
    drain: plan.timeout
  }
}

// A per-connection rate is kept even if the warm-up has a different number of connections.
function scheduleFor ({ schedule, connections }, others) {
  if (schedule === null || !schedule.perConnection) return schedule
  return { ...schedule, rate: schedule.rate * others / connections }
}

module.exports = planOfWarmup
