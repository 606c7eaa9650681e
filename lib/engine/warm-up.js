'use strict'

/**
 * The plan of a run's warm-up: the same load for a while, which nothing but the clock ends.
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
    drain: plan.timeout
  }
}

// A rate of each connection stays what it is where there are fewer connections, or more.
function scheduleFor ({ schedule, connections }, others) {
  if (schedule === null || !schedule.perConnection) return schedule
  return { ...schedule, rate: schedule.rate * others / connections }
}

module.exports = planOfWarmup
