'use strict'

/**
 * Returns the index of the first entry at or after a time, by binary search; the length if there is none.
 *
 * @param {Array} entries ascending in time
 * @param {number} time
 * @param {function(*): number} [timeOf]
 */
function firstFrom (entries, time, timeOf = Number) {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeOf(entries[middle]) < time) low = middle + 1
    else high = middle
  }
  return low
}

module.exports = { firstFrom }
