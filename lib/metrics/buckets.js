'use strict'

const { placeOf } = require('./places')

/**
 * A Distribution as counts between fixed bounds, which add up by adding numbers: between threads, and between rounds.
 *
 * @param {Distribution} distribution
 * @param {number[]} bounds in seconds, ascending
 * @returns {{ counts: number[], sum: number }} how many values are above the bound before and not above this one (to the
 *   0.1 % that an HDR histogram knows), and last how many are above all bounds; `sum` in seconds
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

/** What two of the same bounds are together. */
function addBuckets (one, other) {
  return { counts: one.counts.map((count, index) => count + other.counts[index]), sum: one.sum + other.sum }
}

module.exports = { toBuckets, addBuckets }
