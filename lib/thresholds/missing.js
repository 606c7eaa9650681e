'use strict'

const { decode, percentOf, valueOfRank } = require('./histograms')

/*
 * Figures that are made of what has come to its end, and of nothing else: lifetimes of sessions, times to a first event. Of those
 * that did not come to it nobody knows the value, which may be anything. Of n values and m that are missing, percentile p is
 * the value of rank r = ⌈(n + m) p / 100⌉ at most, of rank r - m at least:
 *
 *     all missing ones are small     0 0 0 v v v v v v v
 *     all missing ones are large     v v v v v v v ∞ ∞ ∞
 */
class MissingValues {
  /**
   * @param {object} statistics the statistics object of those that are there
   * @param {number} count how many are missing
   * @param {string} [encoded] their histogram, as a result has it
   */
  constructor (statistics, count, encoded) {
    this.statistics = statistics
    this.count = count
    this.total = statistics.totalCount + count
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
    if (percent !== null) return this.percentileRange(value, percent)
    if (name === 'min') return { atLeast: 0, atMost: value }
    return { atLeast: name === 'max' || name === 'total' ? value : 0, atMost: Infinity }
  }

  percentileRange (value, percent) {
    const rank = Math.max(1, Math.ceil(percent / 100 * this.total * (1 - Number.EPSILON)))
    const histogram = decode(this.encoded)
    const at = (rank) => histogram === null ? null : Math.min(valueOfRank(histogram, null, rank), this.statistics.max)
    return {
      atLeast: rank <= this.count ? 0 : Math.min(value, at(rank - this.count) ?? 0),
      atMost: rank > this.statistics.totalCount ? Infinity : Math.max(value, at(rank) ?? Infinity)
    }
  }
}

/**
 * The times to the first event of streams that timed out, or in the open model were unfinished, without one. What the closed model has in
 * flight at its end is no news.
 *
 * @param {object} result
 * @returns {?MissingValues}
 */
function firstEventsOf ({ stream, accounting, rate, sessions, histograms }) {
  if (!isStatistics(stream?.timeToFirstEvent) || !accounting) return null
  const isOpen = rate !== undefined || sessions !== undefined
  const late = (accounting.timedOut ?? 0) + (isOpen ? accounting.unfinished ?? 0 : 0)
  const without = Math.max(0, accounting.sent - stream.timeToFirstEvent.totalCount)
  return new MissingValues(stream.timeToFirstEvent, Math.min(late, without), histograms?.timeToFirstEvent)
}

/**
 * The lifetimes of sessions that were not over when the run was, or had not begun.
 *
 * @param {object} result
 * @returns {?MissingValues}
 */
function lifetimesOf ({ sessions, histograms }) {
  if (!isStatistics(sessions?.lifetime)) return null
  return new MissingValues(sessions.lifetime, (sessions.unfinished ?? 0) + (sessions.unstarted ?? 0), histograms?.sessionLifetime)
}

const isStatistics = (statistics) => Number.isFinite(statistics?.totalCount)

module.exports = { firstEventsOf, lifetimesOf }
