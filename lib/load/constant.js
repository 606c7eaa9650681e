'use strict'

const { settle } = require('./boundary')

/**
 * The same rate for ever.
 *
 *     expected arrivals by t = rate × t        (rate in arrivals per second, t in seconds)
 *     arrival i is due at      i / rate        seconds
 *
 * A division each time and never a sum of gaps, so that arrival 10^9 is as exact as the first.
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

module.exports = { ConstantLoad }
