'use strict'

/*
 * The square of one second in microseconds is 1e12. After a few thousand of them, a sum in a double exceeds 2^53 and
 * loses units: the deviation of equal values would not be 0, and the sum would depend on the order of its terms. This
 * class keeps the exact sum in two limbs:
 *
 *     high × 2^52 + low       0 <= low < 2^52
 */
const LIMB = 2 ** 52
const LIMB_BITS = 52n
const LOW_MASK = (1n << LIMB_BITS) - 1n

class SumOfSquares {
  constructor ({ high = 0, low = 0 } = {}) {
    this.high = high
    this.low = low
  }

  /**
   * @param {number} value a non-negative integer
   * @param {number} count how many times to record it
   */
  record (value, count) {
    const product = value * value * count
    // Products below the limit are exact. Larger ones use BigInt, which is too slow to be used for every request.
    if (product < LIMB) {
      this.addLimbs(0, product)
    } else {
      const exact = BigInt(value) * BigInt(value) * BigInt(count)
      this.addLimbs(Number(exact >> LIMB_BITS), Number(exact & LOW_MASK))
    }
  }

  add (other) {
    this.addLimbs(other.high, other.low)
  }

  addLimbs (high, low) {
    this.high += high
    this.low += low
    if (this.low >= LIMB) {
      this.low -= LIMB
      this.high++
    }
  }

  /** @returns {bigint} */
  get value () {
    return (BigInt(this.high) << LIMB_BITS) + BigInt(this.low)
  }

  /** Plain data, which the constructor accepts. */
  toData () {
    return { high: this.high, low: this.low }
  }
}

module.exports = SumOfSquares
