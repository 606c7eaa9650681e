'use strict'

const { PERCENTILE, decode, percentOf, valueOfRank } = require('./histograms')

/*
 * How far the figures of a result can be trusted where some of their values are only lower bounds.
 *
 * A request that timed out, was unfinished or was never sent took at least as long as is recorded of it, and nobody knows
 * how much longer. So a figure has a least value, with every bound taken as it is, and a greatest, with every bound taken
 * as infinite. Of n values, b of them bounds, percentile p is the value of rank r = ⌈n p / 100⌉:
 *
 *     least       the value of rank r of all n           what is in the result
 *     greatest    the value of rank r of the n - b       infinite where r > n - b
 *
 * Where the percentile is below the smallest bound, the two are the same.
 */

// What one bound alone can make as large as it likes.
const MOVED_BY_ONE = new Set(['max', 'mean', 'average', 'total', 'stddev'])

const NONE = Object.freeze({ count: 0, smallest: null })

/** The bounds among the values of one figure of a result. */
class Bounds {
  /**
   * @param {object} statistics the statistics object
   * @param {{ count: number, smallest: ?number }} known `smallest` in ms, null where that is not known
   * @param {object} [encoded] histograms as a result has them: `all`, `bounds`
   */
  constructor (statistics, { count, smallest }, encoded = {}) {
    this.statistics = statistics
    this.count = count
    this.total = statistics.totalCount
    this.smallest = smallest ?? 0
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
    if (percent !== null) return { atLeast: value, atMost: this.greatestPercentile(value, percent) }
    if (name === 'min') return { atLeast: value, atMost: value < this.smallest ? value : this.valueOfRank(1) }
    return { atLeast: name === 'stddev' ? this.leastDeviation(value) : value, atMost: Infinity }
  }

  greatestPercentile (value, percent) {
    if (value < this.smallest) return value
    const rank = Math.max(1, Math.ceil(percent / 100 * this.total * (1 - Number.EPSILON)))
    const greatest = this.valueOfRank(rank)
    // The end of a bucket of the histogram may lie beyond all values that are in it.
    return greatest === Infinity ? greatest : Math.max(value, Math.min(greatest, this.statistics.max ?? greatest))
  }

  // What lies above the mean makes the deviation larger when it grows, what lies below may make it smaller, even none.
  leastDeviation (value) {
    return this.smallest >= this.statistics.mean ? value : 0
  }

  // Of those that are no bounds; where these cannot be told apart, of all without that many of the smallest.
  valueOfRank (rank) {
    if (rank > this.total - this.count) return Infinity
    const all = decode(this.encoded.all)
    const bounds = decode(this.encoded.bounds)
    if (all === null) return this.percentileFrom(rank + this.count)
    return bounds === null ? valueOfRank(all, null, rank + this.count) : valueOfRank(all, bounds, rank)
  }

  // The next larger of the percentiles that a result has without its histograms.
  percentileFrom (rank) {
    const known = Object.keys(this.statistics)
      .filter((name) => PERCENTILE.test(name) && percentOf(name) / 100 * this.total >= rank)
      .map((name) => this.statistics[name])
    return Math.min(this.statistics.max ?? Infinity, ...known)
  }
}

/**
 * The bounds among the values of a figure.
 *
 * @param {object} result of a run, or of a warm-up; also one of an earlier version, which only says how many requests had
 *   no answer, and one of autocannon, which has no bounds
 * @param {'latency'|'latencyWithUnfinished'} name
 * @param {object} [endpoint] one of `result.endpoints`, whose latency is meant
 * @returns {Bounds}
 */
function boundsOf (result, name, endpoint) {
  const statistics = (endpoint ?? result)?.[name]
  if (statistics === null || typeof statistics !== 'object') return new Bounds({ totalCount: 0 }, NONE)
  if (name === 'latencyWithUnfinished') return boundsWithUnfinished(result, statistics)
  const { latencyBounds, histograms } = endpoint ?? result
  const encoded = { all: histograms?.latency, bounds: histograms?.latencyBounds }
  if (isCounted(latencyBounds)) return new Bounds(statistics, latencyBounds, encoded)
  return new Bounds(statistics, possibleBounds(result, statistics, endpoint), encoded)
}

const isCounted = (bounds) => Number.isFinite(bounds?.count)

function boundsWithUnfinished ({ latencyWithUnfinishedBounds: told, histograms, accounting }, statistics) {
  const encoded = { all: histograms?.latencyWithUnfinished, bounds: histograms?.latencyWithUnfinishedBounds }
  if (isCounted(told)) return new Bounds(statistics, told, encoded)
  const histogram = decode(encoded.bounds)
  if (histogram === null) return new Bounds(statistics, { count: Math.min(statistics.totalCount, unanswered(accounting, ['failed'])), smallest: null }, encoded)
  const smallest = histogram.totalCount === 0 ? null : histogram.lowestEquivalentValue(histogram.getValueAtPercentile(0)) / 1000
  return new Bounds(statistics, { count: histogram.totalCount, smallest }, encoded)
}

// Of a result that does not tell: as many as there may be.
function possibleBounds ({ rate, accounting, non2xx }, { totalCount }, endpoint) {
  if (!rate || !accounting) return NONE
  const { completed } = endpoint ?? accounting
  // With excludeErrorStats the completed requests are not all in there.
  const most = non2xx === 0 ? Math.max(0, totalCount - completed) : totalCount
  return { count: Math.min(most, unanswered(accounting)), smallest: null }
}

function unanswered (accounting, more = []) {
  return ['timedOut', 'unfinished', 'unsent', ...more].reduce((sum, box) => sum + (accounting?.[box] ?? 0), 0)
}

/**
 * The bounds among the times of last copies (docs/realtime.md, "Broadcast"): where copies are missing nobody knows of which
 * messages, so each of them may have had its last copy later, or never.
 *
 * @param {object} result
 * @returns {?{ count: number, total: number, range: function(string, number): object }} null where all copies have come
 */
function copyBoundsOf ({ broadcast }) {
  if (!broadcast || !(broadcast.received < broadcast.expected)) return null
  const { expected, received, lastCopy } = broadcast
  return {
    count: expected - received,
    total: expected,
    range: (name, value = lastCopy?.[name]) => ({ atLeast: name === 'stddev' ? 0 : value, atMost: name === 'totalCount' ? value : Infinity })
  }
}

/**
 * Whether a statistic of the latency is only a lower bound.
 *
 * @param {object} result
 * @param {string} name such as 'p99'
 * @returns {boolean}
 */
function isLowerBound (result, name) {
  const { atLeast, atMost } = boundsOf(result, 'latency').range(name)
  return atMost > atLeast
}

/**
 * The bounds that a report marks. A result of an earlier version does not tell which of its figures are bounds: it is shown
 * as it was, and only judged by how many there may be.
 *
 * @param {object} result
 * @returns {?Bounds} null where there is nothing to mark
 */
function markedBounds (result) {
  return result.latencyBounds?.count > 0 ? boundsOf(result, 'latency') : null
}

/**
 * Whether a report marks a statistic of the latency, or a percentile that is no field, as a lower bound.
 *
 * @param {object} result
 * @param {string} name
 * @param {number} [value] ms; default that in the result
 */
function isMarked (result, name, value) {
  const bounds = markedBounds(result)
  if (bounds === null) return false
  const { atLeast, atMost } = bounds.range(name, value)
  return atMost > atLeast
}

module.exports = { boundsOf, copyBoundsOf, isLowerBound, isMarked, markedBounds, percentOf, MOVED_BY_ONE }
