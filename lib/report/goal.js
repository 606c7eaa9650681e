'use strict'

/**
 * Returns the goal of a run, which ends after a number of requests, a number of sessions, or a duration.
 *
 * @param {object} opts `instance.opts`: `duration` in seconds
 * @returns {{ total: number, reached: ?function(object): number }} `reached(tick)` returns the progress at a `tick`; null
 *   if the goal is a duration
 */
function goalOf ({ amount, duration, sessions }) {
  if (sessions?.amount > 0) return { total: Number(sessions.amount), reached: ({ sessions: so }) => so ? so.completed + so.failed : 0 }
  if (amount) return { total: amount, reached: ({ sent, requests = 0 }) => sent ?? requests }
  return { total: duration, reached: null }
}

module.exports = goalOf
