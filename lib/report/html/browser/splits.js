'use strict'

/**
 * Where the lines of a logarithmic axis stand: 1, 2, 5, 10, 20, … where there is room. The powers of ten come first, since
 * between them a reader can guess.
 *
 * @param {number} from greater than 0
 * @param {number} to
 * @param {number} pixels between the two
 * @param {function(number, number): number} gapBetween how many pixels two values need
 * @returns {number[]} in rising order
 */
function logarithmicSplits (from, to, pixels, gapBetween) {
  const accepted = []
  const position = (value) => Math.log(value / from) / Math.log(to / from) * pixels
  for (const step of [1, 2, 5]) {
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
      const value = Number((step * 10 ** power).toPrecision(1))
      const hasRoom = accepted.every((other) => Math.abs(position(other) - position(value)) >= gapBetween(value, other))
      if (value >= from * 0.999 && value <= to * 1.001 && hasRoom) accepted.push(value)
    }
  }
  return accepted.sort((a, b) => a - b)
}

module.exports = logarithmicSplits
