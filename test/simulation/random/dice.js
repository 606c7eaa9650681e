'use strict'

const { createRandom } = require('../../../lib/load/random')

// The largest prime below 2^31: two names rarely get the same number.
const PRIME = 2147483647n

// Converts a name to a number.
const numbers = new Map()

function numberOf (name) {
  let number = 0n
  for (const character of name) number = (number * 31n + BigInt(character.codePointAt(0))) % PRIME
  return number * 2n ** 53n
}

/** The random decisions in drawing a world: the same seed gives the same ones. */
class Dice {
  constructor (seed) {
    this.random = createRandom(seed)
  }

  /** Separate dice for each topic, so that a new topic does not change the draws of others. */
  static of (seed, name) {
    if (!numbers.has(name)) numbers.set(name, numberOf(name))
    return new Dice(numbers.get(name) + BigInt(seed))
  }

  /** Whether an event with this probability occurs. */
  happens (share) {
    return this.random.next() < share
  }

  /** An integer in a range, both ends included. */
  whole (from, to) {
    return from + Math.floor(this.random.next() * (to - from + 1))
  }

  /** ms, with a resolution of a microsecond. */
  ms (from, to) {
    return this.whole(Math.round(from * 1000), Math.round(to * 1000)) / 1000
  }

  one (...choices) {
    return choices[this.whole(0, choices.length - 1)]
  }
}

module.exports = Dice
