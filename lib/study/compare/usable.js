'use strict'

// What says that a run ended before its time, whatever its window.
const CUT_SHORT = new Set(['ABORTED_ON_FAIL', 'NO_USABLE_CONNECTION', 'AGENT_STOPPED'])
const AMOUNTS = ['amount', 'maxOverallRequests', 'maxConnectionRequests']

/**
 * Whether a result is a measurement of the server at all: in a run that lost an agent of its fleet the server had only a part
 * of the load to bear, for a time that nobody knows.
 */
function isWhole ({ incomplete }) {
  return !incomplete
}

/**
 * Whether a run ended before its time. It measured the server, but only the first part of what it was to measure, and perhaps
 * because the rest would have been worse.
 *
 * @param {object} result of any version, or of another program
 */
function wasCutShort ({ warnings, options, duration }) {
  const codes = (Array.isArray(warnings) ? warnings : []).map((warning) => warning?.code)
  if (codes.some((code) => CUT_SHORT.has(code))) return true
  return codes.includes('STOPPED') && !isWholeWindow(options ?? {}, duration)
}

// With all of its window behind it, a run was cut off only from its last answers, which are lower bounds then.
function isWholeWindow (options, duration) {
  const isOfTime = AMOUNTS.every((name) => !options[name]) && !options.sessions?.amount
  return isOfTime && duration >= options.duration
}

module.exports = { isWhole, wasCutShort }
