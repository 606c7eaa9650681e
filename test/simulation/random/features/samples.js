'use strict'

// Times in a result are whole milliseconds.
const ROUNDED_MS = 0.5
// Which comes first of what happens in the same microsecond is not known.
const SAME_MS = 1e-4

/**
 * The samples of a round, and what happened in each, by the world's log. Where the thread is never late, and begins when it is
 * to begin, it is known to the microsecond when each sample ended; elsewhere the result says it, to the millisecond, so that counts have a least and a greatest value.
 */
class Samples {
  /** @param {Round} round of one thread */
  constructor (round) {
    const { begunAt, endedAt, canBeLate, drawn: { threads }, result: { timeline } } = round
    const window = endedAt - begunAt
    this.window = window
    /** Ends of samples, ms since the beginning of the window; null where they cannot be known. */
    this.ends = canBeLate || threads !== undefined ? null : endsOf(window, round.plan.sampleInt, timeline.length)
    const isKnown = this.ends !== null && this.ends.length === timeline.length
    const edges = isKnown ? this.ends.map((end) => [end, end]) : timeline.map(({ time }) => [time * 1000 - ROUNDED_MS, time * 1000 + ROUNDED_MS])
    if (edges.length > 0) edges[edges.length - 1] = [window, window]
    /** Of each sample the earliest and the latest that it can have ended, ms of the world. */
    this.edges = edges.map(([early, late]) => [begunAt + early - SAME_MS, begunAt + late + SAME_MS])
  }

  /**
   * How often something happened in each sample.
   *
   * @param {number[]} times ms of the world
   * @returns {Array<[number, number]>} the least and the greatest number
   */
  counts (times) {
    const before = this.edges.map(([early, late]) => [times.filter((time) => time < early).length, times.filter((time) => time <= late).length])
    return before.map(([least, most], index) => {
      const [leastBefore, mostBefore] = index === 0 ? [0, 0] : before[index - 1]
      return [Math.max(0, least - mostBefore), most - leastBefore]
    })
  }
}

// A rest of less than half a sample is part of the one before it; half of one, to the last bit of a number, may be either.
function endsOf (window, length, samples) {
  const whole = Math.floor((window + SAME_MS) / length)
  const ends = Array.from({ length: whole }, (_, index) => (index + 1) * length)
  const short = length / 2 - (window - whole * length)
  const isJoined = Math.abs(short) < SAME_MS ? samples === whole : short > 0
  if (whole > 0 && isJoined) ends.pop()
  return [...ends, window]
}

module.exports = Samples
