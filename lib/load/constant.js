'use strict'

const { settle } = require('./boundary')

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

module.exports = { ConstantLoad }
