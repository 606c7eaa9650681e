'use strict'

const Distribution = require('./distribution')

/*
 * What stands before a Distribution on the hot path.
 *
 *   microseconds   0    1    2   …   54   …  32767 | more
 *   counts       [ 0 ][ 0 ][ 0 ] … [ 17 ] … [  0  ]| straight into `large`
 *
 * To find a value's place in a histogram costs several times the one increment of a flat array, which takes under 2 ns. A fast
 * server answers within the span, so its requests cost an increment; the counts are poured into the histogram once per sample.
 * A slower server is asked less often, so that its values may take the longer way. A thousand connections that share a fast
 * one wait 10 ms each. Of an array only what is counted in takes memory; and it is made when there have been some values, since
 * to make it, and to collect it, costs more than these: a run has a dozen of them, and a sequence one for each request.
 */
const SPAN_MICROSECONDS = 32768
const FEW_VALUES = 100
const NONE = new Uint32Array(0)

class Tally {
  /** @param {number} [span] up to how many microseconds values are counted in the array: four bytes each */
  constructor (span = SPAN_MICROSECONDS) {
    this.spanOfMany = span
    /** 0 before there is an array. */
    this.span = 0
    this.counts = NONE
    this.large = new Distribution()
    this.low = span
    this.high = -1
    this.untilMany = FEW_VALUES
  }

  /** @param {number} microseconds whole and not negative */
  record (microseconds) {
    this.recordTimes(microseconds, 1)
  }

  /** The same, for `count` equal ones: at least one. */
  recordTimes (microseconds, count) {
    if (microseconds < this.span) {
      this.counts[microseconds] += count
      if (microseconds < this.low) this.low = microseconds
      if (microseconds > this.high) this.high = microseconds
    } else {
      this.large.record(microseconds, count)
      if (microseconds < this.spanOfMany && --this.untilMany === 0) this.makeArray()
    }
  }

  makeArray () {
    this.span = this.spanOfMany
    this.counts = new Uint32Array(this.span)
  }

  get isEmpty () {
    return this.high === -1 && this.large.count === 0
  }

  /** Moves all that was recorded since the last call into `distribution`. */
  pourInto (distribution) {
    const counts = this.counts
    for (let value = this.low; value <= this.high; value++) {
      if (counts[value] !== 0) {
        distribution.record(value, counts[value])
        counts[value] = 0
      }
    }
    this.low = this.spanOfMany
    this.high = -1
    if (this.large.count > 0) {
      distribution.add(this.large)
      this.large = new Distribution()
    }
  }
}

module.exports = Tally
