'use strict'

// Math.random cannot be seeded, and V8 may change its algorithm. This is xoshiro128** 1.1 by David Blackman and
// Sebastiano Vigna ("Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021; https://prng.di.unimi.it),
// with its state initialized by their SplitMix64, as they recommend. It uses integer arithmetic only, so it is the
// same everywhere.

const GOLDEN_GAMMA = 0x9e3779b97f4a7c15n

/**
 * The first `count` numbers of SplitMix64.
 *
 * @param {number|bigint} seed an integer, of which the low 64 bits are used
 * @param {number} count
 * @returns {bigint[]} distinct unsigned 64-bit numbers
 */
function splitMix64 (seed, count) {
  const numbers = []
  let state = BigInt(seed)
  for (let i = 0; i < count; i++) {
    state = BigInt.asUintN(64, state + GOLDEN_GAMMA)
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n)
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn)
    numbers.push(mixed ^ (mixed >> 31n))
  }
  return numbers
}

/** xoshiro128**, period 2^128 - 1. */
class Xoshiro128 {
  // The fields are signed 32-bit integers, which V8 stores without allocating memory.
  constructor (a, b, c, d) {
    this.a = a | 0
    this.b = b | 0
    this.c = c | 0
    this.d = d | 0
  }

  /** @returns {number} 32 random bits, as an unsigned integer */
  nextWord () {
    const fifth = Math.imul(this.b, 5)
    const word = Math.imul((fifth << 7) | (fifth >>> 25), 9) >>> 0
    const shifted = this.b << 9
    this.c ^= this.a
    this.d ^= this.b
    this.b ^= this.c
    this.a ^= this.d
    this.c ^= shifted
    this.d = (this.d << 11) | (this.d >>> 21)
    return word
  }

  /** @returns {number} uniform in [0, 1), a multiple of 2^-53 */
  next () {
    const high = this.nextWord() >>> 5
    const low = this.nextWord() >>> 6
    return (high * 2 ** 26 + low) * 2 ** -53
  }
}

/**
 * Creates a repeatable stream of random numbers: the same seed gives the same numbers on every machine.
 *
 * @param {number|bigint} [seed=0] an integer
 * @returns {Xoshiro128}
 */
function createRandom (seed = 0) {
  const [first, second] = splitMix64(seed, 2)
  const low = (number) => Number(BigInt.asUintN(32, number))
  return new Xoshiro128(low(first), low(first >> 32n), low(second), low(second >> 32n))
}

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
 * @param {number|bigint} [seed=0] an integer: the same seed gives the same numbers on every machine
 * @returns {{ next: function(): number }}
 */
function createExponential (seed) {
  return new Exponential(createRandom(seed))
}

module.exports = { createRandom, splitMix64, Xoshiro128, Exponential, createExponential }
