'use strict'

const SCHEDULES = new Set(['overallRate', 'connectionRate', 'stages', 'bursts'])

/** Whether only responses determine when the next request is sent. */
function isUnpaced (opts) {
  return opts.thinkTime === undefined && Object.keys(opts).every((name) => !SCHEDULES.has(name))
}

module.exports = { isUnpaced, SCHEDULES }
