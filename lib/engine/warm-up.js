'use strict'

/**
 * Creates the plan of a run's warm-up: the same load, ended only by the clock, or when its rows have been used.
 *
 * @param {object} plan of the run, with a `warmup`
 */
function planOfWarmup (plan) {
  const { sessions, warmup } = plan
  return {
    ...plan,
    ...warmup,
    isWarmup: true,
    schedule: scheduleFor(plan, warmup.connections),
    rampUp: null,
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
