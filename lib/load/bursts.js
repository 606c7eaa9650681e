'use strict'

const { settle } = require('./boundary')

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

module.exports = { BurstLoad }
