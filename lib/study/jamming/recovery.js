'use strict'

// Who takes twice as long as usual is not back yet.
const TWICE = 2

/**
 * How long it took after a jam until times were normal again: at most twice the median of the same rate before the jam, or its 99th
 * percentile where that is more, and for good.
 *
 * @param {object[]} timeline of a run in which the jam was first
 * @param {number} jammed seconds: for so long
 * @param {{ p50: number, p99: number }} usual at the rate that came behind it, ms
 * @returns {?number} seconds, to the end of the first sample that was normal; null where that had not come when the run ended
 */
function recoveredAfter (timeline, jammed, { p50, p99 }) {
  const normal = Math.max(TWICE * p50, p99)
  // Where nothing was answered nobody knows.
  const after = timeline.filter(({ time, requests }) => time > jammed && requests > 0)
  const first = after.findLastIndex((sample) => sample.p50 > normal) + 1
  return first < after.length ? Math.round((after[first].time - jammed) * 1000) / 1000 : null
}

module.exports = { recoveredAfter }
