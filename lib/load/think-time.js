'use strict'

const { createRandom } = require('./random')

/**
 * The pauses of one user between a response and the next request.
 *
 *     pause = from + (to - from) × U        (seconds; U uniform in [0, 1))
 *
 * @param {object} thinkTime
 * @param {number} thinkTime.from the shortest pause, in seconds
 * @param {number} thinkTime.to the longest, in seconds; with the same number as `from` every pause is that long
 * @param {number} [seed=0] a whole number; the same seed gives the same pauses, so give each user another one
 * @returns {{ next: function(): number }} next() is the next pause, in seconds
 */
function createThinkTime ({ from, to }, seed) {
  const random = createRandom(seed)
  const spread = to - from
  return {
    next () {
      return from + spread * random.next()
    }
  }
}

module.exports = { createThinkTime }
