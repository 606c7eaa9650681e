'use strict'

/*
 * The random numbers of a seed, implemented independently from their definitions, so that the tests don't take the due times of a run from
 * the code under test: SplitMix64 fills the state of xoshiro128** 1.1 (Blackman and Vigna, https://prng.di.unimi.it), and exponential
 * numbers come from von Neumann's method (Knuth, The Art of Computer Programming, volume 2, section 3.4.1, algorithm S).
 */

const WORD = 2 ** 32
const MASK_64 = 2n ** 64n - 1n

function stateOf (seed) {
  const words = []
  for (let turn = 1n; turn <= 2n; turn++) {
    let number = (BigInt(seed) + turn * 0x9e3779b97f4a7c15n) & MASK_64
    number = ((number ^ (number >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64
    number = ((number ^ (number >> 27n)) * 0x94d049bb133111ebn) & MASK_64
    number ^= number >> 31n
    words.push(Number(number % BigInt(WORD)), Number(number / BigInt(WORD)))
  }
  return words
}

// In 32 bits: multiplication by a small number, and rotation to the left.
const times = (word, factor) => word * factor % WORD
const turned = (word, bits) => (word * 2 ** bits % WORD) + Math.floor(word / 2 ** (32 - bits))
const xor = (one, other) => (one ^ other) >>> 0

/** The random numbers of a seed; each call returns the next one. */
class Chance {
  constructor (seed) {
    this.state = stateOf(seed)
  }

  /** 32 bits. */
  word () {
    const [a, b, c, d] = this.state
    const mixed = xor(c, a)
    const other = xor(d, b)
    this.state = [xor(a, other), xor(b, mixed), xor(mixed, (b * 512) % WORD), turned(other, 11)]
    return times(turned(times(b, 5), 7), 9)
  }

  /** Uniform in [0, 1), with 53 bits. */
  uniform () {
    const high = Math.floor(this.word() / 2 ** 5)
    return (high * 2 ** 26 + Math.floor(this.word() / 2 ** 6)) / 2 ** 53
  }

  /** Exponential, with mean 1. */
  exponential () {
    const ones = this.word().toString(2).padStart(32, '0').indexOf('0')
    const pick = this.uniform()
    const whole = (ones === -1 ? 32 : ones)
    if (pick < Math.LN2) return whole * Math.LN2 + pick
    // The minimum of this many uniform numbers counts: k of them with probability (ln 2)^k / k!.
    let least = this.uniform()
    let term = Math.LN2
    for (let count = 1, upTo = term; pick >= upTo; count++) {
      least = Math.min(least, this.uniform())
      term *= Math.LN2 / (count + 1)
      if (term < 2 ** -60) break
      upTo += term
    }
    return (whole + least) * Math.LN2
  }
}

module.exports = Chance
