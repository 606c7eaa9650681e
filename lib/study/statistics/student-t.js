'use strict'

// Larger than any quantile that is needed; with one degree of freedom, the tails are that long.
const LARGEST = 1e9
const STEPS = 120

/**
 * The probability that Student's t lies between -t and t: Abramowitz & Stegun, Handbook of Mathematical Functions,
 * 26.7.3 and 26.7.4, a finite sum for a whole number of degrees of freedom.
 *
 * @param {number} t 0 or more
 * @param {number} degrees whole, 1 or more
 */
function probabilityWithin (t, degrees) {
  const angle = Math.atan(t / Math.sqrt(degrees))
  const cosine = Math.cos(angle)
  const isOdd = degrees % 2 === 1
  let term = isOdd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let k = isOdd ? 2 : 1; k <= degrees - 3; k += 2) {
    term *= k / (k + 1) * cosine * cosine
    sum += term
  }
  return isOdd ? 2 / Math.PI * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}

/**
 * The value that Student's t exceeds, on either side, with the probability `tail`.
 *
 * @param {number} tail of both sides together, such as 0.05
 * @param {number} degrees of freedom, whole, 1 or more
 * @returns {number}
 */
function studentQuantile (tail, degrees) {
  let low = 0
  let high = LARGEST
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (probabilityWithin(middle, degrees) < 1 - tail) low = middle
    else high = middle
  }
  return high
}

module.exports = { studentQuantile, probabilityWithin }
