'use strict'

/**
 * When each connection starts, for a number of users that grows evenly.
 *
 *     users(t) = from + (to - from) × t / over        (t in seconds, up to `over`)
 *
 * Connections 0 to from - 1 start at 0, the others each when users(t) reaches them: the last one at `over`.
 *
 * @param {object} ramp
 * @param {number} ramp.from connections at the start, a whole number, 0 or more
 * @param {number} ramp.to connections at the end of the ramp, not less than `from`
 * @param {number} ramp.over length of the ramp, in seconds
 * @returns {number[]} the start of connection i in seconds from the start of the run, at index i; `to` of them
 */
function connectionStartTimes ({ from, to, over }) {
  return Array.from({ length: to }, (_, index) => index < from ? 0 : (index + 1 - from) / (to - from) * over)
}

module.exports = { connectionStartTimes }
