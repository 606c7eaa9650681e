'use strict'

/** What is said of a comparison that was ended before it had a run of each side. */
const NOTHING_COMPARED = 'Nothing was compared: no round was completed.'

/** @param {object[]} sides of a comparison */
function isEmpty (sides) {
  return sides.some(({ runs }) => runs === 0)
}

/**
 * What is to be said in place of a verdict where a side has answered nothing; null where both have.
 *
 * @param {object} comparison of one side with the first
 * @param {string} a what the first is called
 * @param {string} b
 */
function silenceInWords ({ metrics }, a, b) {
  const isSilent = (side) => metrics?.throughput?.[side] === 0 && !(metrics.eventRate?.[side] > 0)
  if (isSilent('a')) return isSilent('b') ? `Neither ${a} nor ${b} responded: there is nothing to compare.` : `${a} did not respond: there is nothing to compare ${b} with.`
  return isSilent('b') ? `${b} did not respond: there is nothing to compare ${a} with.` : null
}

module.exports = { NOTHING_COMPARED, isEmpty, silenceInWords }
