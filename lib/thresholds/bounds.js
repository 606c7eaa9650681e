'use strict'

const { PERCENTILE, decode, percentOf, valueOfRank } = require('./histograms')

/** Nothing that a figure lacks. */
const NONE_MISSING = Object.freeze({ count: 0, smallest: 0, largest: 0, total: 0 })

/**
 * What is not known of the values of one figure of a result. There are two kinds:
 *
 * - bounds: values in it that are only lower bounds. A request that timed out took at least as long as is recorded of it, and nobody
 *   knows how much longer.
 * - missing values, which are not in it at all: of what did not come to that point. It took at least so long, if anything is known of it.
 *
 * So a figure has a least value, with each of them as small as it may be, and a greatest, with each infinite. Of n values, b of them
 * bounds, and m that are missing, percentile p is the value of rank r = ⌈(n + m) p / 100⌉:
 *
 *     least       the value of rank r of all n + m         what is in the result, where none is missing
 *     greatest    the value of rank r of the n - b         infinite where r > n - b
 *
 * Where none is missing and the percentile is below the smallest bound, the two are the same.
 */
class Bounds {
  /**
   * @param {object} statistics the statistics object
   * @param {object} unknown
   * @param {{ count: number, smallest: ?number }} [unknown.bounds] `smallest` in ms, null where that is not known
   * @param {{ count: number, smallest: number, largest: number, total: number }} [unknown.missing] in ms; zeros: nothing is known of them
   * @param {object} [encoded] histograms as a result has them: `all`, `bounds`, `missing`
   */
  constructor (statistics, { bounds = { count: 0, smallest: null }, missing = NONE_MISSING }, encoded = {}) {
    this.statistics = statistics
    this.inside = bounds.count
    this.missing = missing
    this.size = statistics.totalCount ?? 0
    /** How many values are not known, and how many there are with those that are missing. */
    this.count = bounds.count + missing.count
    this.total = this.size + missing.count
    this.smallest = bounds.smallest ?? 0
    this.encoded = encoded
  }

  /**
   * @param {string} name of a statistic
   * @param {number} [value] ms; that of a percentile that is no field
   * @param {number} [percent] of which it is
   * @returns {{ atLeast: number, atMost: number }} ms; Infinity where nothing is known
   */
  range (name, value = this.statistics[name], percent = percentOf(name)) {
    if (this.count === 0 || name === 'totalCount') return { atLeast: value, atMost: value }
    if (percent !== null) return { atLeast: this.leastPercentile(value, percent), atMost: this.greatestPercentile(value, percent) }
    if (name === 'min') return { atLeast: this.missing.count > 0 ? Math.min(value, this.missing.smallest) : value, atMost: this.greatestMinimum(value) }
    return { atLeast: this.leastOf(name, value), atMost: Infinity }
  }

  leastOf (name, value) {
    const { missing } = this
    if (name === 'stddev') return this.leastDeviation(value)
    if (missing.count === 0) return value
    switch (name) {
      case 'max': return Math.max(value, missing.largest)
      case 'total': return value + missing.total
      default: return ((this.statistics.total ?? value * this.size) + missing.total) / this.total
    }
  }

  // What lies above the mean makes the deviation larger when it grows, what lies below may make it smaller, even none.
  leastDeviation (value) {
    return this.missing.count === 0 && this.smallest >= this.statistics.mean ? value : 0
  }

  greatestMinimum (value) {
    return this.inside === 0 || value < this.smallest ? value : this.valueOfRank(1)
  }

  rankOf (percent) {
    return Math.max(1, Math.ceil(percent / 100 * this.total * (1 - Number.EPSILON)))
  }

  greatestPercentile (value, percent) {
    if (this.missing.count === 0 && value < this.smallest) return value
    const greatest = this.valueOfRank(this.rankOf(percent))
    if (greatest === Infinity) return greatest
    // The end of a bucket of the histogram may lie beyond all values that are in it.
    const known = Math.min(greatest, this.statistics.max ?? greatest)
    return this.missing.count === 0 ? Math.max(value, known) : known
  }

  leastPercentile (value, percent) {
    const { missing, size } = this
    if (missing.count === 0) return value
    const all = decode(this.encoded.all)
    const lacking = decode(this.encoded.missing)
    const rank = this.rankOf(percent)
    if (all !== null && lacking !== null) return Math.min(valueOfRank([all, lacking], null, rank), Math.max(this.statistics.max, missing.largest))
    // Where they cannot be told apart, with each as small as can be.
    const others = Math.min(size, rank - missing.count)
    return others <= 0 || all === null ? Math.min(value, missing.smallest) : Math.min(valueOfRank([all], null, others), this.statistics.max)
  }

  // Of those that are known; where these cannot be told apart, of all without that many of the smallest.
  valueOfRank (rank) {
    if (rank > this.size - this.inside) return Infinity
    const all = decode(this.encoded.all)
    const bounds = this.inside === 0 ? null : decode(this.encoded.bounds)
    if (all === null) return this.missing.count > 0 ? Infinity : this.percentileFrom(rank + this.inside)
    return bounds === null ? valueOfRank([all], null, rank + this.inside) : valueOfRank([all], bounds, rank)
  }

  // The next larger of the percentiles that a result has without its histograms.
  percentileFrom (rank) {
    const known = Object.keys(this.statistics)
      .filter((name) => PERCENTILE.test(name) && percentOf(name) / 100 * this.size >= rank)
      .map((name) => this.statistics[name])
    return Math.min(this.statistics.max ?? Infinity, ...known)
  }
}

module.exports = { Bounds, NONE_MISSING }
