'use strict'

/** Rounds as the numbers of results are rounded: what follows is the noise of a calculation. */
function thousandth (value) {
  return Math.round(value * 1000) / 1000
}

/** A rate; 0 if there was no time. */
function perSecond (amount, seconds) {
  return seconds > 0 ? thousandth(amount / seconds) : 0
}

/**
 * Converts fractional milliseconds to whole microseconds. Negative values become 0.
 *
 * @param {number} milliseconds
 * @returns {number}
 */
function microseconds (milliseconds) {
  const value = Math.round(milliseconds * 1000)
  return value > 0 ? value : 0
}

module.exports = { perSecond, thousandth, microseconds }
