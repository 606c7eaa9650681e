'use strict'

/**
 * Even arrivals: arrival i is due exactly when the load expects i arrivals, for i = 0, 1, 2, …
 */
class UniformPacer {
  constructor (load, duration) {
    this.load = load
    this.last = load.countBefore(duration) - 1
    this.index = -1
  }

  next () {
    if (this.index >= this.last) return Infinity
    this.index += 1
    return this.load.timeOf(this.index)
  }

  skip (count) {
    this.index += count
  }
}

module.exports = { UniformPacer }
