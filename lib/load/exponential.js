'use strict'

const { createRandom } = require('./random')

// The textbook formula is -ln(1 - U), but no standard defines the last bits of Math.log, so the arrivals for a seed
// could differ between machines. Comparisons, additions and multiplications give the same results everywhere, and they
// suffice ("algorithm S" in Knuth, The Art of Computer Programming, volume 2, section 3.4.1, from an idea of John von
// Neumann):
//
//     X = (J + V) × ln 2
//     J: the number of halvings, P(J = j) = 2^-(j + 1): the leading ones of random bits
//     V: in [0, 1), with P(V > v) = 2^(1 - v) - 1: the smallest of K uniform numbers where P(K = k) = (ln 2)^k / k!,
//        because the sum over k of (ln 2)^k / k! × (1 - v)^k is e^((1 - v) ln 2) - 1
//
// With 32 bits for J no number exceeds 33 ln 2 = 22.9; a true exponential number does so once in 2^33.

// P(K <= k) at index k. The last entry is Infinity, so that rounding errors cannot run past the end.
const UP_TO = [0]
for (let k = 1, term = Math.LN2; term > 2 ** -60; k++, term *= Math.LN2 / k) UP_TO.push(UP_TO[k - 1] + term)
UP_TO.push(Infinity)

class Exponential {
  constructor (random) {
    this.random = random
  }

  /** @returns {number} exponentially distributed with mean 1 */
  next () {
    const random = this.random
    const halvings = Math.clz32(~random.nextWord())
    const pick = random.next()
    // K = 1: given this condition, pick / ln 2 is itself uniform, which saves drawing another number.
    if (pick < Math.LN2) return halvings * Math.LN2 + pick
    let smallest = random.next()
    for (let k = 1; pick >= UP_TO[k]; k++) {
      const another = random.next()
      if (another < smallest) smallest = another
    }
    return (halvings + smallest) * Math.LN2
  }
}

/**
 * Creates a repeatable stream of exponentially distributed numbers with mean 1.
 *
 * @param {number} [seed=0] an integer: the same seed gives the same numbers on every machine
 * @returns {{ next: function(): number }}
 */
function createExponential (seed) {
  return new Exponential(createRandom(seed))
}

module.exports = { Exponential, createExponential }
