'use strict'

const Distribution = require('./distribution')

/*
 * What stands before a Distribution on the hot path.
 *
 *   microseconds   0    1    2   …   54   …  32767 | more
 *   counts       [ 0 ][ 0 ][ 0 ] … [ 17 ] … [  0  ]| straight into `large`
 *
 * HdrHistogram's recordValue costs 55 to 70 ns here, one increment in a flat array under 2 ns. A fast server answers
 * within the span, so its requests cost an increment; the counts are poured into the histogram once per sample.
 * A slower server is asked less often, so that its values may take the longer way. A thousand connections that share a fast
 * one wait 10 ms each. Of an array only what is counted in takes memory.
 */
const SPAN_MICROSECONDS = 32768

class Tally {
  /** @param {number} [span] up to how many microseconds values are counted in the array: four bytes each */
  constructor (span = SPAN_MICROSECONDS) {
    this.span = span
    this.counts = new Uint32Array(span)
    this.large = new Distribution()
    this.low = span
    this.high = -1
  }

  /** @param {number} microseconds whole and not negative */
  record (microseconds) {
    if (microseconds < this.span) {
      this.counts[microseconds]++
      if (microseconds < this.low) this.low = microseconds
      if (microseconds > this.high) this.high = microseconds
    } else {
      this.large.record(microseconds)
    }
  }

  /** The same, for `count` equal ones: at least one. */
  recordTimes (microseconds, count) {
    this.record(microseconds)
    if (count === 1) return
    if (microseconds < this.span) this.counts[microseconds] += count - 1
    else this.large.record(microseconds, count - 1)
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
    this.low = this.span
    this.high = -1
    if (this.large.count > 0) {
      distribution.add(this.large)
      this.large = new Distribution()
    }
  }
}

module.exports = Tally
