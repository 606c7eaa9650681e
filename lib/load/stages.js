'use strict'

const { settle } = require('./boundary')
const { RunningSum } = require('./running-sum')

/**
 * Steps, ramps and pauses, one after the other: within a stage the rate goes in a straight line from `from` to `to`.
 *
 *     rate(t) = from + (to - from) × t / duration        (arrivals per second; t in seconds from the stage's start)
 *     N(t)    = t × (from + rate(t)) / 2                 (arrivals in the stage's first t seconds)
 *
 * Arrival i is due where N, summed over the stages, reaches i; where it stands still at i (a pause) at the end of the
 * standing: an arrival due exactly at the end of a stage belongs to the next stage that has any. What a stage leaves
 * of a request carries over to the next, so the run contains exactly ceil(N at the end) arrivals, none in a pause.
 */
class StagedLoad {
  constructor ({ stages }) {
    const time = new RunningSum()
    const arrivals = new RunningSum()
    let before = 0
    // Only stages in which something arrives: pauses are the gaps between one's end and the next one's start.
    this.stages = []
    for (const { duration, from, to } of stages) {
      const area = duration * (from + to) / 2
      const start = time.total
      const end = time.add(duration).total
      const sum = arrivals.add(area).total
      const after = settle(sum, sum + end * to)
      if (area > 0) {
        const slope = (to - from) / duration
        this.stages.push({ start, end, before, after, duration, from, to, slope })
        before = after
      }
    }
    this.duration = time.total
    this.current = 0
    this.latest = 0
  }

  /**
   * Positions must not decrease from call to call: the search goes on where the last one ended. The times then do not
   * either, although the rounding of a square root may be greater than the distance of two random arrivals.
   */
  timeOf (position) {
    let stage = this.stages[this.current]
    while (stage !== undefined && position >= stage.after) stage = this.stages[++this.current]
    if (stage === undefined) return Infinity
    const time = timeWithin(stage, position)
    if (time > this.latest) this.latest = time
    return this.latest
  }

  expectedBy (seconds) {
    const stage = this.#stageAt(seconds)
    return stage === null ? 0 : countWithin(stage, seconds)
  }

  countBefore (seconds) {
    const stage = this.#stageAt(seconds)
    if (stage === null) return 0
    const expected = countWithin(stage, seconds)
    // An error of one rounding in the time is worth that time × the rate arrivals.
    return Math.ceil(settle(expected, expected + Math.min(seconds, stage.end) * rateWithin(stage, seconds)))
  }

  // The last stage begun before this time, null when there is none.
  #stageAt (seconds) {
    return this.stages.findLast((stage) => stage.start < seconds) ?? null
  }
}

function rateWithin ({ start, end, duration, from, to }, seconds) {
  return seconds >= end ? to : from + (to - from) * ((seconds - start) / duration)
}

function countWithin (stage, seconds) {
  if (seconds >= stage.end) return stage.after
  return stage.before + (seconds - stage.start) * (stage.from + rateWithin(stage, seconds)) / 2
}

// Solves slope × t² / 2 + from × t = count for t in the form 2c / (b + √(b² + 2ac)), which at a slope of 0 is count /
// from, and in which nothing cancels while the slope is not negative. A falling ramp is a rising one seen from its
// end, and is solved from there.
function timeWithin ({ start, end, before, after, from, to, slope }, position) {
  if (position === before) return start
  if (slope >= 0) {
    return Math.min(end, start + rise(position - before, from, slope))
  }
  return Math.max(start, end - rise(after - position, to, -slope))
}

// Seconds until `count` arrivals at a rate that begins with `rate` and grows by `slope` per second.
function rise (count, rate, slope) {
  return 2 * count / (rate + Math.sqrt(rate * rate + 2 * slope * count))
}

module.exports = { StagedLoad }
