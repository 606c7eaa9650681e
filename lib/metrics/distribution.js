'use strict'

const { checkCounts, decodeCounts, encodeCounts } = require('../base/encoded-histogram')
const Places = require('./places')
const SumOfSquares = require('./sum-of-squares')

// So few values are told one by one: they are shorter so, and take a tenth of the time to write and to read.
const FEW_VALUES = 250

let encodedEmpty = null

/**
 * A distribution of durations in integer microseconds, from 1 us to an hour and beyond: an HDR histogram (within 0.1 %)
 * with the exact count, sum, sum of squares, smallest and largest value beside it, so that mean, deviation, min and max
 * are not rounded to a bucket. Two distributions add up exactly, in any order.
 */
class Distribution {
  // The last search for a percentile: `upTo` is how many values lie up to and with `place`, as long as there are `count`.
  #search = { count: 0, rank: 0, place: 0, upTo: 0 }

  constructor () {
    // Made with the first value: most of the distributions of a run with many endpoints never have one.
    this.places = null
    this.count = 0
    this.sum = 0
    this.squares = new SumOfSquares()
    this.min = Infinity
    this.max = 0
  }

  /**
   * @param {number} microseconds whole and not negative
   * @param {number} [count] how often
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

  /** Adds what another distribution holds. */
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

  /** The deviation of the whole population, as HdrHistogram defines it. */
  get stddev () {
    if (this.count === 0) return 0
    // n × Σv² - (Σv)², both near to each other and far beyond 2^53.
    const difference = BigInt(this.count) * this.squares.value - BigInt(this.sum) ** 2n
    return Math.sqrt(Number(difference)) / this.count
  }

  /**
   * The smallest value that at least `percent` percent of all values do not exceed, within 0.1 % and never above `max`.
   *
   * @param {number} percent 0 to 100
   * @returns {number} microseconds; 0 when nothing was recorded
   */
  percentile (percent) {
    if (this.count === 0) return 0
    const value = Places.highestOf(this.placeOfRank(rankOf(percent, this.count)))
    return Math.max(this.min, Math.min(this.max, value))
  }

  // At which place the value of this rank is counted. Percentiles are asked for one after the other, so the search goes
  // on where the last one ended: from the beginning each time it was a sixth of what a result costs.
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
      // Of one that was read from a file, the count may be another than that of its values.
      if (next === -1) break
      search.place = next
      search.upTo += places.countAt(next)
    }
    search.rank = rank
    return search.place
  }

  /** The histogram in HdrHistogram's compressed V2 form, base64: readable by its tools in any language. */
  encode () {
    if (this.places !== null) return encodeCounts(this.places.toPairs())
    // One for all that have no value, of which a result has several.
    encodedEmpty ??= encodeCounts([])
    return encodedEmpty
  }

  /** Plain data for another thread or machine; `Distribution.from` reads it. */
  toData () {
    const { count, sum, min, max } = this
    if (count > 0 && count <= FEW_VALUES) return this.toSparse()
    return { histogram: count === 0 ? null : this.encode(), count, sum, squares: this.squares.toData(), min, max }
  }

  /**
   * The same in a form that is made in a fraction of the time, and is long: the counts as pairs, how many places after the
   * last one that is not 0, and how many values there. `Distribution.from` reads it as well.
   */
  toSparse () {
    const { count, sum, min, max, places } = this
    return { counts: count === 0 ? [] : places.toPairs(), count, sum, squares: this.squares.toData(), min, max }
  }

  static from (data) {
    const distribution = new Distribution()
    if (data.count > 0) {
      const counts = data.counts ?? decodeCounts(data.histogram)
      checkCounts(counts)
      distribution.places = new Places()
      distribution.places.addPairs(counts)
      const { count, sum, min, max } = data
      Object.assign(distribution, { count, sum, squares: new SumOfSquares(data.squares), min, max })
    }
    return distribution
  }
}

// Which of all values, from the smallest on, is the one that a percentile asks for. 97.5 / 100 × 40 may come out as a little more
// than 39, and is 39.
function rankOf (percent, count) {
  const rank = Math.min(percent, 100) / 100 * count
  return Math.min(count, Math.max(1, Math.ceil(rank * (1 - Number.EPSILON))))
}

module.exports = Distribution
