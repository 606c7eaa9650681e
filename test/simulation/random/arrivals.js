'use strict'

const Chance = require('./chance')

const DEFAULT_DURATION_S = 10
// The maximum error of the roots in a stage.
const ROUNDED_MS = 1e-9

/**
 * When requests (or sessions) come due, computed from the drawn options and not by the code that schedules them.
 *
 *     overallRate, connectionRate     arrival i is due at i / rate
 *     bursts                          at floor(i / size) × interval
 *     stages                          when the area under the rates exceeds i
 *     poisson                         as arrival i, but at E(0) + … + E(i), where E are exponential numbers of mean 1
 *
 * The arrivals of D seconds are those due in [0, D).
 */
class Arrivals {
  /** @param {object} opts with a schedule @param {number} seed */
  constructor (opts, seed) {
    const { arrivals, amount, stages } = opts
    this.opts = opts
    this.times = []
    this.chance = arrivals === 'poisson' ? new Chance(seed) : null
    this.position = 0
    this.isStaged = stages !== undefined
    // An amount takes as long as it takes, and stages have an end of their own, but not in a warm-up.
    const duration = opts.duration ?? (this.isStaged ? Infinity : DEFAULT_DURATION_S)
    this.durationUs = amount !== undefined ? Infinity : Math.round(duration * 1e6)
  }

  /** When the arrival with this number is due, ms since the start; Infinity: there is none. */
  at (index) {
    while (this.times.length <= index) this.times.push(this.next(this.times.length))
    return this.times[index]
  }

  next (index) {
    if (this.chance === null) return this.isBefore(index) ? this.timeOf(index) : Infinity
    if (this.times.at(-1) === Infinity) return Infinity
    this.position += this.chance.exponential()
    const time = this.timeOf(this.position)
    return time < this.durationUs / 1000 ? time : Infinity
  }

  get rate () {
    const { overallRate, connectionRate, connections } = this.opts
    return overallRate ?? connectionRate * connections
  }

  // In integers, to avoid rounding.
  isBefore (index) {
    const { bursts } = this.opts
    if (this.isStaged) return this.timeOf(index) < this.durationUs / 1000 - ROUNDED_MS
    if (bursts !== undefined) return Math.floor(index / bursts.size) * Math.round(bursts.interval * 1e6) < this.durationUs
    return index * 1e6 < this.rate * this.durationUs
  }

  timeOf (position) {
    const { bursts, stages } = this.opts
    if (this.isStaged) return timeInStages(stages, position)
    if (bursts !== undefined) return Math.floor(position / bursts.size) * bursts.interval * 1000
    return position / this.rate * 1000
  }
}

// Durations are whole milliseconds and rates integers, so areas are integer multiples of 1/2000 arrival.
function timeInStages (stages, position) {
  let start = 0
  let before = 0
  for (const { duration, rate } of stages) {
    const { from, to } = typeof rate === 'object' ? rate : { from: rate, to: rate }
    const length = Math.round(duration * 1000)
    const area = length * (from + to)
    const ahead = position * 2000 - before
    // An arrival at the very end of a stage, or in a pause, is due when the rate is next above zero.
    if (ahead < area) return start + solve((ms) => 2 * from * ms + (to - from) * ms * ms / length, ahead, length)
    start += length
    before += area
  }
  return Infinity
}

// Finds where an increasing function reaches a value, by bisection, to the precision of a number.
function solve (area, value, length) {
  if (value === 0) return 0
  let low = 0
  let high = length
  for (;;) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) return high
    if (area(middle) < value) low = middle
    else high = middle
  }
}

module.exports = Arrivals
