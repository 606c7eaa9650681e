'use strict'

// Warnings which say that a run ended early, whatever its window.
const CUT_SHORT = new Set(['ABORTED_ON_FAIL', 'NO_USABLE_CONNECTION', 'AGENT_STOPPED'])
const AMOUNTS = ['amount', 'maxOverallRequests', 'maxConnectionRequests']

/**
 * Whether a result is a valid measurement: in a run that lost an agent of its fleet, the server had only a part of the load to bear,
 * for an unknown time.
 */
function isWhole ({ incomplete }) {
  return !incomplete
}

/**
 * Whether a run ended early. It measured the server, but only for a part of its time, and perhaps because the rest would have been
 * worse.
 *
 * @param {object} result of any version, or of another program
 */
function wasCutShort ({ warnings, options, duration }) {
  const codes = (Array.isArray(warnings) ? warnings : []).map((warning) => warning?.code)
  if (codes.some((code) => CUT_SHORT.has(code))) return true
  return codes.includes('STOPPED') && !isWholeWindow(options ?? {}, duration)
}

// If its window was complete, a run missed only its last responses, which are then lower bounds.
function isWholeWindow (options, duration) {
  const isOfTime = AMOUNTS.every((name) => !options[name]) && !options.sessions?.amount
  return isOfTime && duration >= options.duration
}

module.exports = { isWhole, wasCutShort }
