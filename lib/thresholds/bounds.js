'use strict'

const { PERCENTILE, countAbove, decode, percentOf, valueOfRank } = require('./histograms')

// A report shows three digits. Neighbouring ranks usually differ by less, and marking each percentile for that would tell nothing.
const NOTICEABLE = 1.01

/** Used for a figure without missing values. */
const NONE_MISSING = Object.freeze({ count: 0, smallest: 0, largest: 0, total: 0 })

/**
 * What is unknown about the values of one figure of a result. There are two kinds:
 *
 * - bounds: values that are only lower bounds. A request that timed out took at least as long as was recorded, and it is unknown how
 *   much longer.
 * - missing values, which were not recorded at all because a request or connection did not reach the point in question. At most, a
 *   minimum duration is known.
 *
 * So every statistic has a least value, with each of them as small as possible, and a greatest, with each infinite. Of n values, b of
 * them bounds, and m missing ones, percentile p is the value of rank r = ⌈(n + m) p / 100⌉:
 *
 *     least       the value of rank r of all n + m         the value in the result, if none is missing
 *     greatest    the value of rank r of the n - b         infinite if r > n - b
 *
 * If none is missing and the percentile is below the smallest bound, the two are the same.
 *
 * If a person stopped the run, most of what it cut off is not slow, only late. So of these values, a figure counts only those that had
 * waited longer than it would be without any of them.
 */
class Bounds {
  /**
   * @param {object} statistics the statistics object
   * @param {object} unknown
   * @param {{ count: number, smallest?: ?number }} [unknown.bounds] `smallest` in ms, if it is known
   * @param {{ count: number, smallest: number, largest: number, total: number }} [unknown.missing] in ms; zeros if nothing is known
   * @param {Array<{ count: number, largest: number, total: number, encoded: string, isInside: boolean }>} [unknown.interrupted] those of the
   *   two that were cut off when a person stopped the run, in ms; `isInside`: as bounds
   * @param {object} [encoded] histograms as in a result: `all`, `bounds`, `missing`
   */
  constructor (statistics, { bounds = { count: 0 }, missing = NONE_MISSING, interrupted = [] }, encoded = {}) {
    this.statistics = statistics
    this.inside = bounds.count
    this.missing = missing
    this.interrupted = interrupted
    this.size = statistics.totalCount ?? 0
    /** Number of unknown values, and number of all values including the missing ones. */
    this.count = bounds.count + missing.count
    this.total = this.size + missing.count
    this.smallest = bounds.smallest ?? 0
    this.encoded = encoded
  }

  /**
   * @param {string} name of a statistic
   * @param {number} [value] ms; pass it for a percentile that is not a field of the result
   * @param {number} [percent] of that percentile
   * @returns {{ atLeast: number, atMost: number }} ms; `atMost` is Infinity if there is no upper limit
   */
  range (name, value = this.statistics[name], percent = percentOf(name)) {
    if (this.count === 0 || name === 'totalCount') return { atLeast: value, atMost: value }
    const ofStopped = this.interrupted.length > 0 ? this.rangeOfStopped(name, value, percent) : null
    if (ofStopped !== null) return ofStopped
    if (percent !== null) return { atLeast: this.leastPercentile(value, percent), atMost: this.greatestPercentile(value, percent) }
    if (name === 'min') return { atLeast: this.missing.count > 0 ? Math.min(value, this.missing.smallest) : value, atMost: this.greatestMinimum(value) }
    return { atLeast: this.leastOf(name, value), atMost: Infinity }
  }

  // Returns null if the figure counts all values that were cut off.
  rangeOfStopped (name, value, percent) {
    const cutOff = this.interrupted.reduce((sum, { count }) => sum + count, 0)
    const isRestKnown = this.count === cutOff
    if (percent !== null) {
      const without = this.valueOfRank(this.rankOf(percent, this.total - cutOff))
      const older = this.interrupted.reduce((sum, { encoded, count }) => sum + countAbove(decode(encoded), without, count), 0)
      const atMost = this.valueOfRank(this.rankOf(percent, this.total - cutOff + older))
      if (atMost === Infinity) return null
      return { atLeast: isRestKnown ? without : Math.min(without, this.leastPercentile(value, percent)), atMost }
    }
    const known = name === 'max' ? value : name === 'mean' || name === 'average' ? this.meanWithout() : 0
    return isRestKnown && this.interrupted.every(({ largest }) => largest < known) ? { atLeast: known, atMost: known } : null
  }

  // The mean without the values that were cut off.
  meanWithout () {
    const inside = this.interrupted.filter(({ isInside }) => isInside)
    const sum = (key) => inside.reduce((total, { [key]: value }) => total + value, 0)
    return (this.statistics.total - sum('total')) / (this.size - sum('count'))
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

  // A value above the mean increases the deviation when it grows. A value below the mean may reduce it, even to 0.
  leastDeviation (value) {
    return this.missing.count === 0 && this.smallest >= this.statistics.mean ? value : 0
  }

  greatestMinimum (value) {
    return this.inside === 0 || value < this.smallest ? value : this.valueOfRank(1)
  }

  rankOf (percent, total = this.total) {
    return Math.max(1, Math.ceil(percent / 100 * total * (1 - Number.EPSILON)))
  }

  greatestPercentile (value, percent) {
    if (this.missing.count === 0 && value < this.smallest) return value
    const greatest = this.valueOfRank(this.rankOf(percent))
    if (greatest === Infinity) return greatest
    // A bucket of the histogram may end above the largest of its values.
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
    // Without the histograms, assume that every missing value is as small as possible.
    const others = Math.min(size, rank - missing.count)
    return others <= 0 || all === null ? Math.min(value, missing.smallest) : Math.min(valueOfRank([all], null, others), this.statistics.max)
  }

  // Considers only known values. If they cannot be told from bounds, assumes that the smallest values are the bounds.
  valueOfRank (rank) {
    if (rank > this.size - this.inside) return Infinity
    const all = decode(this.encoded.all)
    const bounds = this.inside === 0 ? null : decode(this.encoded.bounds)
    if (all === null) return this.missing.count > 0 ? Infinity : this.percentileFrom(rank + this.inside)
    return bounds === null ? valueOfRank([all], null, rank + this.inside) : valueOfRank([all], bounds, rank)
  }

  // Without its histograms, a result has only some percentiles: use the next larger one.
  percentileFrom (rank) {
    const known = Object.keys(this.statistics)
      .filter((name) => PERCENTILE.test(name) && percentOf(name) / 100 * this.size >= rank)
      .map((name) => this.statistics[name])
    return Math.min(this.statistics.max ?? Infinity, ...known)
  }
}

/**
 * Whether a value in a result is only a lower bound of the true one: because the true one is unknown, or because it is known and
 * noticeably greater, since missing values move ranks.
 *
 * @param {{ atLeast: number, atMost: number }} range of the true value
 * @param {number} value in the result
 */
function isExceeded ({ atLeast, atMost }, value) {
  return atMost > atLeast || atMost > value * NOTICEABLE
}

module.exports = { Bounds, NONE_MISSING, isExceeded }
