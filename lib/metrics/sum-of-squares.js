'use strict'

/*
 * The square of a second in microseconds is 1e12, so after a few thousand of them a sum in a double is beyond 2^53 and
 * drops units: the deviation of equal values would not be 0, and the same sums in another order not the same. Here it
 * is exact, in two limbs:
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
   * @param {number} value whole and not negative
   * @param {number} count how often
   */
  record (value, count) {
    const product = value * value * count
    // Below the limb the product is exact; a BigInt costs too much to make one for each request.
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

  /** Plain data; the constructor takes it. */
  toData () {
    return { high: this.high, low: this.low }
  }
}

module.exports = SumOfSquares
