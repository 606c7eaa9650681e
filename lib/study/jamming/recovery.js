'use strict'

const { thousandth } = require('../../base/rounding')

// A server that takes more than twice as long as usual hasn't recovered.
const TWICE = 2

/**
 * Returns how long it took after a jam until times were back to normal, and stayed so: at most twice the median of the same rate before
 * the jam, or its 99th percentile if that is higher.
 *
 * @param {object[]} timeline of a run that begins with the jam
 * @param {number} jammed length of the jam in seconds
 * @param {{ p50: number, p99: number }} usual values at the rate after the jam, ms
 * @returns {?number} seconds to the end of the first normal sample; null if the run ended before that
 */
function recoveredAfter (timeline, jammed, { p50, p99 }) {
  const normal = Math.max(TWICE * p50, p99)
  // Samples without responses say nothing.
  const after = timeline.filter(({ time, requests }) => time > jammed && requests > 0)
  const first = after.findLastIndex((sample) => sample.p50 > normal) + 1
  return first < after.length ? thousandth(after[first].time - jammed) : null
}

module.exports = { recoveredAfter }
