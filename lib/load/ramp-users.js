'use strict'

/**
 * Computes when each connection starts if the number of users grows linearly.
 *
 *     users(t) = from + (to - from) × t / over        (t in seconds, up to `over`)
 *
 * Connections 0 to from - 1 start at 0, each of the others when users(t) reaches it: the last one at `over`.
 *
 * @param {object} ramp
 * @param {number} ramp.from connections at the start, an integer, 0 or more
 * @param {number} ramp.to connections at the end of the ramp, not less than `from`
 * @param {number} ramp.over length of the ramp, in seconds
 * @returns {number[]} `to` numbers: at index i, when connection i starts, in seconds from the start of the run
 */
function connectionStartTimes ({ from, to, over }) {
  return Array.from({ length: to }, (_, index) => index < from ? 0 : (index + 1 - from) / (to - from) * over)
}

module.exports = { connectionStartTimes }
