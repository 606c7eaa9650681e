'use strict'

const { each, from, group, leaf, STATISTICS } = require('../fields')
const { rateStatistics } = require('../statistics')
const { definePart } = require('./part')

/** Long enough for a meaningful rate; httperf uses the same length. */
const WINDOW_MS = 5000
// A run that should end together with a window may measure as slightly shorter.
const EARLY_END_MS = 2

/**
 * Counts the responses in every five seconds of a run. A response at the very end of a window counts in the next one.
 *
 *     start        5 s         10 s      end
 *       |-----------|-----------|----------|
 *         counts[0]   counts[1]   counts[2], incomplete
 */
class ReplyWindows {
  constructor () {
    this.counts = []
    this.counted = 0
    /** When the current window ends, ms; Infinity before the run begins. */
    this.endAt = Infinity
  }

  begin (now) {
    this.endAt = now + WINDOW_MS
  }

  /** Ends all windows that are over. Call it before counting what happened now. @param {number} completed so far */
  advance (now, completed) {
    while (now >= this.endAt) {
      this.counts.push(completed - this.counted)
      this.counted = completed
      this.endAt += WINDOW_MS
    }
  }

  /** @param {number} completed in the whole run @returns {number[]} plain data, including the current window */
  toData (completed) {
    return [...this.counts, completed - this.counted]
  }
}

/** Adds up the counts of several recorders that started together. @param {number[][]} parts from ReplyWindows.toData */
function mergeReplyWindows (parts) {
  const windows = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: windows }, (_, index) => parts.reduce((sum, counts) => sum + (counts[index] ?? 0), 0))
}

/**
 * `result.replyRate`: statistics over complete windows only, per second.
 *
 * @param {number[]} counts merged
 * @param {number} seconds length of the run, including its drain
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
    // Which windows are complete is known only at the end, so these fields have no trend.
    replyRate: group('min', { ...each(STATISTICS, from('values', leaf('rate'))), ...each(['total', 'totalCount'], leaf('count')) })
  }
})

module.exports = { replies, ReplyWindows, mergeReplyWindows, replyRateStatistics }
