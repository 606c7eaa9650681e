'use strict'

const { placeOf } = require('./places')

/**
 * Turns a Distribution into counts between fixed bounds. Such counts can simply be added up, across threads and across
 * rounds.
 *
 * @param {Distribution} distribution
 * @param {number[]} bounds in seconds, ascending
 * @returns {{ counts: number[], sum: number }} `counts`: for each bound, how many values are above the previous bound
 *   and not above this one (with the 0.1% resolution of an HDR histogram), followed by how many are above all bounds;
 *   `sum` in seconds
 */
function toBuckets (distribution, bounds) {
  const { places, count, max, sum } = distribution
  const counts = []
  let place = places === null ? -1 : places.nextFrom(0)
  let total = 0
  for (const bound of bounds) {
    const microseconds = Math.round(bound * 1e6)
    const before = total
    if (microseconds >= max) {
      total = count
    } else {
      const last = placeOf(microseconds)
      for (; place !== -1 && place <= last; place = places.nextFrom(place + 1)) total += places.countAt(place)
    }
    counts.push(total - before)
  }
  counts.push(count - total)
  return { counts, sum: sum / 1e6 }
}

/** Adds two results of `toBuckets` that use the same bounds. */
function addBuckets (one, other) {
  return { counts: one.counts.map((count, index) => count + other.counts[index]), sum: one.sum + other.sum }
}

module.exports = { toBuckets, addBuckets }
