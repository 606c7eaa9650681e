'use strict'

const { each, group, leaf, STATISTICS } = require('../fields')
const { rateStatistics } = require('../statistics')
const { definePart } = require('./part')

/** Long enough for a rate that says something, as httperf had it. */
const WINDOW_MS = 5000
// A run that ends with a window may end a little early by its clock.
const EARLY_END_MS = 2

/**
 * How many responses came in each five seconds of a run. A response that comes at the very end of a window counts for the next.
 *
 *     start        5 s         10 s      end
 *       |-----------|-----------|----------|
 *         counts[0]   counts[1]   counts[2], not whole
 */
class ReplyWindows {
  constructor () {
    this.counts = []
    this.counted = 0
    /** When the window that is on ends, ms; Infinity before the run begins. */
    this.endAt = Infinity
  }

  begin (now) {
    this.endAt = now + WINDOW_MS
  }

  /** A window is over, or several are; what is seen now is not counted yet. @param {number} completed so far */
  advance (now, completed) {
    while (now >= this.endAt) {
      this.counts.push(completed - this.counted)
      this.counted = completed
      this.endAt += WINDOW_MS
    }
  }

  /** @param {number} completed in the whole run @returns {number[]} plain data, the window that is on with it */
  toData (completed) {
    return [...this.counts, completed - this.counted]
  }
}

/** Adds up those of several recorders, which began together. @param {number[][]} parts as ReplyWindows.toData gives them */
function mergeReplyWindows (parts) {
  const windows = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: windows }, (_, index) => parts.reduce((sum, counts) => sum + (counts[index] ?? 0), 0))
}

/**
 * `result.replyRate`: statistics of whole windows only, per second.
 *
 * @param {number[]} counts merged
 * @param {number} seconds how long the run was, to the end of its drain
 */
function replyRateStatistics (counts, seconds) {
  const whole = Math.floor((seconds * 1000 + EARLY_END_MS) / WINDOW_MS)
  const inWhole = Array.from({ length: whole }, (_, index) => counts[index] ?? 0)
  const samples = inWhole.map((count) => count / (WINDOW_MS / 1000))
  const total = inWhole.reduce((sum, count) => sum + count, 0)
  return { ...rateStatistics(samples, total, whole * WINDOW_MS / 1000), samples }
}

const replies = definePart({
  name: 'replies',
  create: () => new ReplyWindows(),
  toData: (counted, dataOf, { recorder }) => counted.toData(recorder.completed),
  merge: mergeReplyWindows,
  result: (counts, { seconds, drain }) => ({ replyRate: replyRateStatistics(counts, seconds + drain.seconds) }),
  fields: {
    // Of windows that are whole, which is known at the end alone.
    replyRate: group('min', { ...each(STATISTICS, leaf('rate')), ...each(['total', 'totalCount'], leaf('count')) })
  }
})

module.exports = { replies, ReplyWindows, mergeReplyWindows, replyRateStatistics }
