'use strict'

const SCHEDULES = new Set(['overallRate', 'connectionRate', 'stages', 'bursts'])

/**
 * Whether only responses determine when the next request is sent. A think time paces no sessions: they may fail in their first step, or have
 * no other.
 */
function isUnpaced (opts) {
  return (opts.thinkTime === undefined || opts.sessions !== undefined) && Object.keys(opts).every((name) => !SCHEDULES.has(name))
}

const MOST_SPEAKERS = 50

/** Whether a message has hundreds of copies, so that a round of them takes a minute, and a warm-up has millions. */
function isCrowd ({ messages }, connections) {
  return messages?.expect === 'broadcast' && connections > MOST_SPEAKERS
}

module.exports = { isCrowd, isUnpaced, SCHEDULES }
