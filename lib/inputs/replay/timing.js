'use strict'

// No two are due at one time: it is by its due time that a request is known later on.
const APART = 1e-6
const SECOND_MS = 1000

/**
 * When each request is due, in order.
 *
 * Recorded times of whole seconds (access logs have no others) stand for the second: its requests are spread evenly over it,
 * in their order in the file. Where any time has a fraction, all are taken as they are.
 *
 *     10:00:00 a   10:00:00 b   10:00:01 c        due at 0, 0.5 and 1 of 2 seconds
 *
 * @param {Float64Array} recorded ms, in the order of the file
 * @param {number} speed
 * @param {function(number): Float64Array} createTimes
 * @returns {{ times: Float64Array, order: ?Uint32Array, duration: number, first: number }} `times` in seconds from the start; `order`:
 *   which of the recorded requests each is, null where they stand in order; `duration` in seconds; `first`: the first recorded time, ms
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
  // To the end of what the last time stands for: its second, or its millisecond.
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

// A server writes its log as it answers, so that what took long stands behind what came later.
function orderOf (recorded) {
  const order = Uint32Array.from(recorded, (_, place) => place)
  return order.sort((one, other) => recorded[one] - recorded[other] || one - other)
}

module.exports = { timing }
