'use strict'

const { createRandom } = require('../../../lib/load/random')

// The largest prime below 2^31: two names hardly have the same number.
const PRIME = 2147483647n

// What names stand for.
const numbers = new Map()

function numberOf (name) {
  let number = 0n
  for (const character of name) number = (number * 31n + BigInt(character.codePointAt(0))) % PRIME
  return number * 2n ** 53n
}

/** What is left to chance in drawing a world: the same seed gives the same. */
class Dice {
  constructor (seed) {
    this.random = createRandom(seed)
  }

  /** Dice of its own for each thing that is drawn, so that a new one does not change what the others draw. */
  static of (seed, name) {
    if (!numbers.has(name)) numbers.set(name, numberOf(name))
    return new Dice(numbers.get(name) + BigInt(seed))
  }

  /** Whether something that happens in so many of all cases happens in this one. */
  happens (share) {
    return this.random.next() < share
  }

  /** A whole number, both ends included. */
  whole (from, to) {
    return from + Math.floor(this.random.next() * (to - from + 1))
  }

  /** ms, in whole microseconds. */
  ms (from, to) {
    return this.whole(Math.round(from * 1000), Math.round(to * 1000)) / 1000
  }

  one (...choices) {
    return choices[this.whole(0, choices.length - 1)]
  }
}

module.exports = Dice
