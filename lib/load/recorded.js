'use strict'

/**
 * Arrivals at the times at which they were recorded.
 *
 *     arrival i is due at      times[i]        seconds
 *     expected arrivals by t = the number of times below t
 */
class RecordedLoad {
  /** @param {{ times: Float64Array, duration: number }} schedule `times` in ascending order, without duplicates */
  constructor ({ times, duration }) {
    this.times = times
    this.duration = duration
  }

  timeOf (position) {
    return position < this.times.length ? this.times[position] : Infinity
  }

  expectedBy (seconds) {
    return this.countBefore(seconds)
  }

  countBefore (seconds) {
    return firstFrom(this.times, seconds)
  }
}

/**
 * Finds the first time that is not before a given one, by binary search.
 *
 * @param {Float64Array} times in ascending order
 * @param {number} seconds
 * @returns {number} its index; the length of `times` if all are before it
 */
function firstFrom (times, seconds) {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle] < seconds) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Finds the arrival whose due time has been converted to a clock's time and back. Arrivals are at least a microsecond
 * apart, and the rounding error is some thousand times smaller.
 *
 * @param {Float64Array} times
 * @param {number} seconds
 * @returns {number} the index of the nearest
 */
function nearest (times, seconds) {
  const next = firstFrom(times, seconds)
  const isBefore = next > 0 && (next === times.length || seconds - times[next - 1] <= times[next] - seconds)
  return isBefore ? next - 1 : next
}

module.exports = { RecordedLoad, nearest }
