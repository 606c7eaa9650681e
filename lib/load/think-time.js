'use strict'

const { createExponential, createRandom } = require('./random')

/**
 * Creates the pauses of one user before their requests.
 *
 *     range    pause = from + (to - from) × U        (seconds; U uniform in [0, 1))
 *     mean     pause = mean × X                      (X exponentially distributed with mean 1)
 *
 * @param {{ from: number, to: number }|{ mean: number }} thinkTime seconds: the shortest and the longest pause (if they are
 *   equal, every pause has that length), or the mean
 * @param {number|bigint} [seed=0] an integer; the same seed gives the same pauses, so give each user a different one, see seeds.js
 * @returns {{ next: function(): number }} next() returns the next pause, in seconds
 */
function createThinkTime ({ from, to, mean }, seed) {
  if (mean !== undefined) return new Multiple(createExponential(seed), 0, mean)
  return from === to ? { next: () => from } : new Multiple(createRandom(seed), from, to - from)
}

class Multiple {
  constructor (numbers, least, factor) {
    this.numbers = numbers
    this.least = least
    this.factor = factor
  }

  next () {
    return this.least + this.factor * this.numbers.next()
  }
}

module.exports = { createThinkTime }
