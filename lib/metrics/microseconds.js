'use strict'

/**
 * Times come as milliseconds with decimals and are kept as whole microseconds; a clock that stood still is 0, never less.
 *
 * @param {number} milliseconds
 * @returns {number}
 */
function microseconds (milliseconds) {
  const value = Math.round(milliseconds * 1000)
  return value > 0 ? value : 0
}

module.exports = microseconds
