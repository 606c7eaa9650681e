'use strict'

const { settle } = require('./boundary')

/**
 * A sum of non-negative numbers that keeps what each addition rounds away and adds it at the end (Neumaier's
 * summation), so the error does not grow with the number of terms. A hundred stages of 0.1 s end at 10 s and not at
 * 9.99999999999998 s, which would lose the last arrival of the plan.
 */
class RunningSum {
  #sum = 0
  #lost = 0

  add (term) {
    const next = this.#sum + term
    this.#lost += this.#sum >= term ? (this.#sum - next) + term : (term - next) + this.#sum
    this.#sum = next
    return this
  }

  get total () {
    return this.#sum + this.#lost
  }
}

/**
 * Steps, ramps and pauses, one after the other: within a stage, the rate changes linearly from `from` to `to`.
 *
 *     rate(t) = from + (to - from) × t / duration        (arrivals per second; t in seconds from the stage's start)
 *     N(t)    = t × (from + rate(t)) / 2                 (arrivals in the stage's first t seconds)
 *
 * Arrival i is due when N, summed over the stages, reaches i. If N stays at i during a pause, the arrival is due at
 * the end of the pause: an arrival due exactly at the end of a stage belongs to the next stage that has arrivals. A
 * fraction of a request at the end of a stage carries over to the next, so the run contains exactly ceil(N at the
 * end) arrivals, none of them in a pause.
 */
class StagedLoad {
  constructor ({ stages }) {
    const time = new RunningSum()
    const arrivals = new RunningSum()
    let before = 0
    // Only stages with arrivals. Pauses are the gaps between the end of one and the start of the next.
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
   * Positions must not decrease between calls, because the search continues where the last one ended. Times never
   * decrease either, even if the rounding error of a square root is larger than the gap between two random arrivals.
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
    // A rounding error in the time causes an error of that time × the rate in the number of arrivals.
    return Math.ceil(settle(expected, expected + Math.min(seconds, stage.end) * rateWithin(stage, seconds)))
  }

  // The last stage that began before this time; null if there is none.
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

// Solves slope × t² / 2 + from × t = count for t, as 2c / (b + √(b² + 2ac)). With a slope of 0, this form
// gives count / from, and it has no cancellation as long as the slope is not negative. A falling ramp is solved from
// its end, where it is a rising one in reverse.
function timeWithin ({ start, end, before, after, from, to, slope }, position) {
  if (position === before) return start
  if (slope >= 0) {
    return Math.min(end, start + rise(position - before, from, slope))
  }
  return Math.max(start, end - rise(after - position, to, -slope))
}

// Seconds until `count` arrivals have occurred at a rate that starts at `rate` and grows by `slope` per second.
function rise (count, rate, slope) {
  return 2 * count / (rate + Math.sqrt(rate * rate + 2 * slope * count))
}

module.exports = { StagedLoad }
