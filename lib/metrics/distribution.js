'use strict'

const { checkCounts, decodeCounts, encodeCounts } = require('../base/encoded-histogram')
const Places = require('./places')

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

// Up to this many values are written as pairs, which is shorter than a histogram and ten times as fast to write and read.
const FEW_VALUES = 250

const encodeEmpty = once(() => encodeCounts([]))

/**
 * A distribution of durations in integer microseconds, from 1 us to an hour and beyond: an HDR histogram (accurate to 0.1%)
 * plus the exact count, sum, sum of squares, minimum and maximum, so that mean, deviation, min and max are not rounded to a
 * bucket. Adding distributions is exact, in any order.
 */
class Distribution {
  // Where the last search for a percentile ended: `upTo` values lie at or below `place`. Valid as long as there are `count`
  // values.
  #search = { count: 0, rank: 0, place: 0, upTo: 0 }

  constructor () {
    // Created with the first value: in a run with many endpoints, most distributions remain empty.
    this.places = null
    this.count = 0
    this.sum = 0
    this.squares = new SumOfSquares()
    this.min = Infinity
    this.max = 0
  }

  /**
   * @param {number} microseconds a non-negative integer
   * @param {number} [count] how many times to record it
   */
  record (microseconds, count = 1) {
    this.places ??= new Places()
    this.places.record(microseconds, count)
    this.count += count
    this.sum += microseconds * count
    this.squares.record(microseconds, count)
    if (microseconds < this.min) this.min = microseconds
    if (microseconds > this.max) this.max = microseconds
  }

  /** Adds the values of another distribution. */
  add (other) {
    if (other.count === 0) return this
    this.places ??= new Places()
    this.places.add(other.places)
    this.count += other.count
    this.sum += other.sum
    this.squares.add(other.squares)
    this.min = Math.min(this.min, other.min)
    this.max = Math.max(this.max, other.max)
    return this
  }

  get mean () {
    return this.count === 0 ? 0 : this.sum / this.count
  }

  /** The population standard deviation, as in HdrHistogram. */
  get stddev () {
    if (this.count === 0) return 0
    // n × Σv² - (Σv)²: the two terms are nearly equal and far larger than 2^53, so a subtraction of doubles would lose the
    // result.
    const difference = BigInt(this.count) * this.squares.value - BigInt(this.sum) ** 2n
    return Math.sqrt(Number(difference)) / this.count
  }

  /**
   * The smallest value such that at least `percent` percent of all values are not above it; accurate to 0.1% and never above
   * `max`.
   *
   * @param {number} percent 0 to 100
   * @returns {number} microseconds; 0 when nothing was recorded
   */
  percentile (percent) {
    if (this.count === 0) return 0
    const value = Places.highestOf(this.placeOfRank(rankOf(percent, this.count)))
    return Math.max(this.min, Math.min(this.max, value))
  }

  // Returns the place at which the value of this rank is counted. Percentiles are requested in ascending order, so each search
  // continues where the last one ended: starting over each time took a sixth of the time to build a result.
  placeOfRank (rank) {
    const { places } = this
    const search = this.#search
    if (search.count !== this.count || search.rank > rank) {
      search.count = this.count
      search.place = Places.placeOf(this.min)
      search.upTo = places.countAt(search.place)
    }
    while (search.upTo < rank) {
      const next = places.nextFrom(search.place + 1)
      // In data read from a file, `count` may be larger than the number of values in the histogram.
      if (next === -1) break
      search.place = next
      search.upTo += places.countAt(next)
    }
    search.rank = rank
    return search.place
  }

  /** The histogram in HdrHistogram's compressed V2 form, base64: readable by its tools in any language. */
  encode () {
    return this.encoder()()
  }

  /** @returns {function(): string} encodes the values of this moment when it is first called, since few histograms are ever read */
  encoder () {
    // A result usually contains several empty distributions.
    if (this.places === null) return encodeEmpty
    const counts = this.places.toPairs()
    return once(() => encodeCounts(counts))
  }

  /** Plain data for another thread or machine; `Distribution.from` reads it. */
  toData () {
    const { count, sum, min, max } = this
    if (count > 0 && count <= FEW_VALUES) return this.toSparse()
    return { histogram: count === 0 ? null : this.encode(), count, sum, squares: this.squares.toData(), min, max }
  }

  /**
   * Like `toData`, but much faster to create, and longer: the counts as pairs of the distance from the previous non-empty place
   * and the number of values there. `Distribution.from` reads this format too.
   */
  toSparse () {
    const { count, sum, min, max, places } = this
    return { counts: count === 0 ? [] : places.toPairs(), count, sum, squares: this.squares.toData(), min, max }
  }

  static from (data) {
    return new Distribution().addData(data)
  }

  /** Adds the values of another distribution in the form of `toData` or `toSparse`, without creating that distribution. */
  addData (data) {
    const { count, sum, min, max } = data
    if (!(count > 0)) return this
    const counts = data.counts ?? decodeCounts(data.histogram)
    checkCounts(counts)
    this.places ??= new Places()
    this.places.addPairs(counts)
    this.count += count
    this.sum += sum
    this.squares.add(new SumOfSquares(data.squares))
    this.min = Math.min(this.min, min)
    this.max = Math.max(this.max, max)
    return this
  }
}

function once (encode) {
  let encoded = null
  return () => (encoded ??= encode())
}

// The rank, counted from the smallest value, that a percentile refers to. Because of rounding, 97.5 / 100 × 40 may be slightly
// more than 39; it must still give rank 39.
function rankOf (percent, count) {
  const rank = Math.min(percent, 100) / 100 * count
  return Math.min(count, Math.max(1, Math.ceil(rank * (1 - Number.EPSILON))))
}

module.exports = Distribution
