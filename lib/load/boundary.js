'use strict'

// A run of D seconds contains the arrivals with due time in [0, D): those at 0, and not the one at exactly D.
// With n arrivals expected by D (n = D × rate, or the area under the stages) that makes ceil(n) arrivals, an even n
// giving exactly n. The inputs are decimals that binary numbers do not hold (0.1, 1/3), so an n that should be 3 comes
// out as 3.0000000000000004, and ceil would make it 4. Each input and each operation is off by at most 2^-53 of its
// value, and no count here passes through more than eight of them: nearer than this to a whole number is on it.
const ROUNDING = 2 ** -50

/**
 * The whole number that `value` would be without rounding errors, or `value` as it is.
 *
 * @param {number} value a computed count of arrivals, not negative
 * @param {number} scale size of the terms `value` was computed from, in arrivals; they set its rounding error
 * @returns {number}
 */
function settle (value, scale) {
  const whole = Math.round(value)
  return Math.abs(value - whole) <= scale * ROUNDING ? whole : value
}

module.exports = { settle }
