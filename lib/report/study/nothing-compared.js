'use strict'

/** The message for a comparison that ended before each side had a run. */
const NOTHING_COMPARED = 'Nothing was compared: no round was completed.'

/** @param {object[]} sides of a comparison */
function isEmpty (sides) {
  return sides.some(({ runs }) => runs === 0)
}

/**
 * Returns the message to show instead of a verdict if a side had no responses; null if both had some.
 *
 * @param {object} comparison of one side with the first
 * @param {string} a name of the first side
 * @param {string} b
 */
function silenceInWords ({ metrics }, a, b) {
  const isSilent = (side) => metrics?.throughput?.[side] === 0 && !(metrics.eventRate?.[side] > 0)
  if (isSilent('a')) return isSilent('b') ? `Neither ${a} nor ${b} responded: there is nothing to compare.` : `${a} did not respond: there is nothing to compare ${b} with.`
  return isSilent('b') ? `${b} did not respond: there is nothing to compare ${a} with.` : null
}

module.exports = { NOTHING_COMPARED, isEmpty, silenceInWords }
