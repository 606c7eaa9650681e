'use strict'

// The minimum gap between due times, in seconds. They must differ, since a request is later identified by its due time.
const APART = 1e-6
const SECOND_MS = 1000

/**
 * Computes when each request is due, in order.
 *
 * If all recorded times are whole seconds, as in access logs, the requests of each second are spread evenly over it, in
 * file order. If any time has a fraction, all times are used unchanged.
 *
 *     10:00:00 a   10:00:00 b   10:00:01 c        due at 0, 0.5 and 1 of 2 seconds
 *
 * @param {Float64Array} recorded ms, in the order of the file
 * @param {number} speed
 * @param {function(number): Float64Array} createTimes
 * @returns {{ times: Float64Array, order: ?Uint32Array, duration: number, first: number }} `times` in seconds from the
 *   start; `order`: the index of each in the file, null if the file is in order; `duration` in seconds; `first`: the
 *   first recorded time, ms
 */
function timing (recorded, speed, createTimes) {
  const count = recorded.length
  const order = isRising(recorded) ? null : orderOf(recorded)
  const at = (place) => recorded[order === null ? place : order[place]]
  const isWhole = recorded.every((ms) => ms % SECOND_MS === 0)
  const first = count === 0 ? 0 : at(0)
  const times = createTimes(count)
  let begin = 0
  for (let place = 0; place < count; place++) {
    if (isWhole && at(place) !== at(begin)) begin = place
    times[place] = at(place) - first
    if (isWhole && (place + 1 === count || at(place + 1) !== at(place))) spread(times, begin, place + 1)
  }
  let least = 0
  for (let place = 0; place < count; place++) {
    times[place] = Math.max(least, times[place] / SECOND_MS / speed)
    least = times[place] + APART
  }
  // The run lasts until the end of the second, or millisecond, of the last recorded time.
  const end = count === 0 ? 0 : (at(count - 1) - first + (isWhole ? SECOND_MS : 1)) / SECOND_MS / speed
  return { times, order, duration: Math.max(end, least), first }
}

function spread (times, begin, end) {
  for (let place = begin; place < end; place++) times[place] += SECOND_MS * (place - begin) / (end - begin)
}

function isRising (recorded) {
  for (let place = 1; place < recorded.length; place++) if (recorded[place] < recorded[place - 1]) return false
  return true
}

// Servers log requests when they respond, so slow requests are logged after later, faster ones.
function orderOf (recorded) {
  const order = Uint32Array.from(recorded, (_, place) => place)
  return order.sort((one, other) => recorded[one] - recorded[other] || one - other)
}

module.exports = { timing }
