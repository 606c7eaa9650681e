'use strict'

/**
 * Arrivals at the times at which they were recorded.
 *
 *     arrival i is due at      times[i]        seconds
 *     expected arrivals by t = how many times are below t
 */
class RecordedLoad {
  /** @param {{ times: Float64Array, duration: number }} schedule `times` in rising order, no two the same */
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
 * The first of the times that is not before a given one, by halves.
 *
 * @param {Float64Array} times in rising order
 * @param {number} seconds
 * @returns {number} its index; as many as there are where all are before it
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
 * Which arrival was due at a time that has been through the arithmetic of a clock. Two of them are a microsecond apart, at
 * least, and the arithmetic is some thousand times finer.
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
