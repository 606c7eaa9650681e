'use strict'

// A run of D seconds contains the arrivals with due times in [0, D): including those at 0, but not one at exactly D.
// If n arrivals are expected by D (n = D × rate, or the area under the stages), that makes ceil(n) arrivals, and
// exactly n if n is an integer. Binary numbers cannot represent inputs such as 0.1 or 1/3 exactly, so an n that should
// be 3 may be 3.0000000000000004, and ceil would make it 4. Each input and each operation has an error of at most
// 2^-53 of its value, and no count here is the result of more than eight of them. So a value closer than this to an
// integer is taken to be that integer.
const ROUNDING = 2 ** -50

/**
 * Returns the integer that `value` would be without rounding errors, or `value` itself if it is not close to one.
 *
 * @param {number} value a computed count of arrivals, not negative
 * @param {number} scale size of the terms from which `value` was computed, in arrivals; it determines the rounding
 *   error
 * @returns {number}
 */
function settle (value, scale) {
  const whole = Math.round(value)
  return Math.abs(value - whole) <= scale * ROUNDING ? whole : value
}

/**
 * A constant rate without end.
 *
 *     expected arrivals by t = rate × t        (rate in arrivals per second, t in seconds)
 *     arrival i is due at      i / rate        seconds
 *
 * Due times are computed by a division and not by adding up gaps, so arrival 10^9 is as exact as the first.
 */
class ConstantLoad {
  constructor ({ rate }) {
    this.rate = rate
    this.duration = Infinity
  }

  timeOf (position) {
    return position / this.rate
  }

  expectedBy (seconds) {
    return this.rate * seconds
  }

  countBefore (seconds) {
    const expected = this.expectedBy(seconds)
    return Math.ceil(settle(expected, expected))
  }
}

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
    this.latest = Math.max(this.latest, timeWithin(stage, position))
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

/**
 * Bursts at fixed intervals without end, the first at 0.
 *
 *     arrival i is due at floor(i / size) × interval seconds        (size in arrivals, interval in seconds)
 *
 * so that `size` arrivals are due together at each multiple of the interval.
 */
class BurstLoad {
  constructor ({ size, interval }) {
    this.size = size
    this.interval = interval
    this.duration = Infinity
  }

  timeOf (position) {
    return Math.floor(position / this.size) * this.interval
  }

  expectedBy (seconds) {
    const intervals = seconds / this.interval
    return this.size * Math.ceil(settle(intervals, intervals))
  }

  countBefore (seconds) {
    return this.expectedBy(seconds)
  }
}

/**
 * Arrivals at the times at which they were recorded.
 *
 *     arrival i is due at      times[i]        seconds
 *     expected arrivals by t = the number of times below t
 */
class RecordedLoad {
  /** @param {{ times: Float64Array, duration: number }} schedule `times` in ascending order, without duplicates */
  constructor ({ times, duration }) {
    this.times = times
    this.duration = duration
  }

  timeOf (position) {
    return position < this.times.length ? this.times[position] : Infinity
  }

  expectedBy (seconds) {
    return this.countBefore(seconds)
  }

  countBefore (seconds) {
    return firstFrom(this.times, seconds)
  }
}

/**
 * Finds the first time that is not before a given one, by binary search.
 *
 * @param {Float64Array} times in ascending order
 * @param {number} seconds
 * @returns {number} its index; the length of `times` if all are before it
 */
function firstFrom (times, seconds) {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle] < seconds) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Finds the arrival whose due time has been converted to a clock's time and back. Arrivals are at least a microsecond
 * apart, and the rounding error is some thousand times smaller.
 *
 * @param {Float64Array} times
 * @param {number} seconds
 * @returns {number} the index of the nearest
 */
function nearest (times, seconds) {
  const next = firstFrom(times, seconds)
  const isBefore = next > 0 && (next === times.length || seconds - times[next - 1] <= times[next] - seconds)
  return isBefore ? next - 1 : next
}

module.exports = { BurstLoad, ConstantLoad, RecordedLoad, StagedLoad, nearest, settle }
