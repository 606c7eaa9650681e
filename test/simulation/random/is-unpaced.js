'use strict'

const SCHEDULES = new Set(['overallRate', 'connectionRate', 'stages', 'bursts'])

/**
 * Whether only responses determine when the next request is sent. A think time paces no sessions: they may fail in their first step, or have
 * no other.
 */
function isUnpaced (opts) {
  return (opts.thinkTime === undefined || opts.sessions !== undefined) && Object.keys(opts).every((name) => !SCHEDULES.has(name))
}

module.exports = { isUnpaced, SCHEDULES }
