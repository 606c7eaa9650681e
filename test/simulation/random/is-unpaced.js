'use strict'

const SCHEDULES = new Set(['overallRate', 'connectionRate', 'stages', 'bursts'])

/** Whether nothing but the answers says when the next request goes out. */
function isUnpaced (opts) {
  return opts.thinkTime === undefined && Object.keys(opts).every((name) => !SCHEDULES.has(name))
}

module.exports = { isUnpaced, SCHEDULES }
