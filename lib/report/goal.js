'use strict'

/**
 * What a run is done with: so many requests, so many sessions, or a time.
 *
 * @param {object} opts `instance.opts`: `duration` in seconds
 * @returns {{ total: number, reached: ?function(object): number }} `reached(tick)` tells how much of it there is by a
 *   `tick`; null where it is a time
 */
function goalOf ({ amount, duration, sessions }) {
  if (sessions?.amount > 0) return { total: Number(sessions.amount), reached: ({ sessions: so }) => so ? so.completed + so.failed : 0 }
  if (amount) return { total: amount, reached: ({ sent, requests = 0 }) => sent ?? requests }
  return { total: duration, reached: null }
}

module.exports = goalOf
