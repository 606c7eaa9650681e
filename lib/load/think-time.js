'use strict'

const { createRandom } = require('./random')
const { createExponential } = require('./exponential')

/**
 * The pauses of one user before his requests.
 *
 *     range    pause = from + (to - from) × U        (seconds; U uniform in [0, 1))
 *     mean     pause = mean × X                      (X exponentially distributed with mean 1)
 *
 * @param {{ from: number, to: number }|{ mean: number }} thinkTime seconds: the shortest pause and the longest (with the same
 *   number for both every pause is that long), or the mean
 * @param {number} [seed=0] a whole number; the same seed gives the same pauses, so give each user another one
 * @returns {{ next: function(): number }} next() is the next pause, in seconds
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
