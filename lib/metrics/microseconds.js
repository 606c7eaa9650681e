'use strict'

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

module.exports = microseconds
