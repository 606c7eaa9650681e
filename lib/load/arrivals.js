'use strict'

const { createExponential } = require('./random')

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

/**
 * Random arrivals that are independent of each other, like those of a large number of unrelated users.
 *
 *     S(i) = E(0) + E(1) + … + E(i)        (E: exponential random numbers of mean 1, so S is a Poisson process of rate 1)
 *     arrival i is due at t where the load expects S(i) arrivals by t        (seconds)
 *
 * With a constant load that is S(i) / rate: exponential gaps of mean 1 / rate seconds. With stages it is the
 * non-homogeneous Poisson process of that rate. With bursts it is bursts of random size, Poisson distributed.
 */
class PoissonPacer {
  constructor (load, duration, seed) {
    this.load = load
    this.duration = duration
    this.gaps = createExponential(seed)
    this.position = 0
    this.ended = false
    this.index = -1
  }

  next () {
    if (this.ended) return Infinity
    this.position += this.gaps.next()
    const due = this.load.timeOf(this.position)
    if (due >= this.duration || due === Infinity) {
      this.ended = true
      return Infinity
    }
    this.index += 1
    return due
  }

  // Draws and adds every gap in the same order as next(), so that the arrivals of a share are identical to those of the
  // whole.
  skip (count) {
    for (let skipped = 0; skipped < count; skipped++) this.position += this.gaps.next()
    this.index += count
  }
}

module.exports = { PoissonPacer, UniformPacer }
