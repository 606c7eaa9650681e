'use strict'

// Times in a result are whole milliseconds.
const ROUNDED_MS = 0.5
// The order of events in the same microsecond is unknown.
const SAME_MS = 1e-4

/**
 * The samples of a round, and the events in each, from the world's log. If the thread is never late, and begins on time, it is known to the
 * microsecond when each sample ended; otherwise only the result says so, to the millisecond, and counts have a minimum and a maximum.
 */
class Samples {
  /** @param {Round} round of one thread */
  constructor (round) {
    const { begunAt, endedAt, canBeLate, parts: [{ heardAt }], world: { client: { naps } }, drawn: { threads }, result: { timeline } } = round
    const window = endedAt - begunAt
    this.window = window
    /** Ends of samples, ms since the beginning of the window; null if they are unknown. */
    const awakeAt = (end, said) => wokenAt(begunAt + end, naps, begunAt + said) - begunAt
    this.ends = canBeLate || threads !== undefined ? null : endsOf(window, round.plan.sampleInt, timeline, awakeAt)
    const isKnown = this.ends !== null && this.ends.length === timeline.length
    const edges = isKnown ? this.ends.map((end) => [end, end]) : timeline.map(({ time }) => [time * 1000 - ROUNDED_MS, time * 1000 + ROUNDED_MS])
    // A thread may be told to end before it hears that the common start is over; its sample has what happened meanwhile.
    if (edges.length > 0) edges[edges.length - 1] = [window, Math.max(window, heardAt - begunAt)]
    /** For each sample the earliest and the latest time at which it can have ended, ms of the world. */
    this.edges = edges.map(([early, late]) => [begunAt + early - SAME_MS, begunAt + late + SAME_MS])
  }

  /**
   * How often something happened in each sample.
   *
   * @param {number[]} times ms of the world
   * @returns {Array<[number, number]>} the minimum and the maximum
   */
  counts (times) {
    const before = this.edges.map(([early, late]) => [times.filter((time) => time < early).length, times.filter((time) => time <= late).length])
    return before.map(([least, most], index) => {
      const [leastBefore, mostBefore] = index === 0 ? [0, 0] : before[index - 1]
      return [Math.max(0, least - mostBefore), most - leastBefore]
    })
  }
}

// A rest of less than half a sample is part of the previous one; one of exactly half may be either, due to rounding.
function endsOf (window, length, timeline, awakeAt) {
  const whole = Math.floor((window + SAME_MS) / length)
  const ends = []
  // Timers only know whole milliseconds.
  for (let due = length, end = 0; ends.length < whole; due += length) ends.push(end = awakeAt(end + Math.round(due - end), (timeline[ends.length]?.time ?? 0) * 1000))
  const short = length / 2 - (window - (ends.at(-1) ?? 0))
  const isJoined = Math.abs(short) < SAME_MS ? timeline.length === whole : short > 0
  if (whole > 0 && isJoined) ends.pop()
  return [...ends, window]
}

// A sample that is over during a nap ends with it. If the nap begins in the microsecond in which the sample is over, the timer that was set
// first comes first: either the sample ends before the nap, or with it, and the result says which.
function wokenAt (time, naps, said) {
  const us = Math.round(time * 1000)
  const nap = naps.find(({ from, until }) => from <= us && us < until)
  if (nap === undefined) return time
  const until = nap.until / 1000
  return nap.from < us || Math.abs(until - said) < Math.abs(time - said) ? until : time
}

module.exports = Samples
