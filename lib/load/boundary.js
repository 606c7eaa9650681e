'use strict'

// A run of D seconds contains the arrivals with due times in [0, D): including those at 0, but not one at exactly D.
// If n arrivals are expected by D (n = D × rate, or the area under the stages), that makes ceil(n) arrivals, and
// exactly n if n is an integer. Binary numbers cannot represent inputs such as 0.1 or 1/3 exactly, so an n that should
// be 3 may be 3.0000000000000004, and ceil would make it 4. Each input and each operation has an error of at most
// 2^-53 of its value, and no count here is the result of more than eight of them. So a value closer than this to an
// integer is taken to be that integer.
const ROUNDING = 2 ** -50

/**
 * Returns the integer that `value` would be without rounding errors, or `value` itself if it is not close to one.
 *
 * @param {number} value a computed count of arrivals, not negative
 * @param {number} scale size of the terms from which `value` was computed, in arrivals; it determines the rounding
 *   error
 * @returns {number}
 */
function settle (value, scale) {
  const whole = Math.round(value)
  return Math.abs(value - whole) <= scale * ROUNDING ? whole : value
}

module.exports = { settle }
