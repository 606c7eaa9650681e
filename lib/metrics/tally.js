'use strict'

const Distribution = require('./distribution')

/*
 * A buffer in front of a Distribution, for the hot path.
 *
 *   microseconds   0    1    2   …   54   …  32767 | more
 *   counts       [ 0 ][ 0 ][ 0 ] … [ 17 ] … [  0  ]| directly into `large`
 *
 * Finding a value's place in a histogram takes several times as long as incrementing an element of a flat array, which takes
 * under 2 ns. The responses of a fast server are within the span of the array and cost one increment each; once per sample, the
 * counts are moved to the histogram. A slower server handles fewer requests, so its values can afford the slower way. With a
 * thousand connections to a fast server, each request waits about 10 ms, which is still within the span. Only the used pages of
 * an array occupy memory. It is allocated after some values have been recorded, because allocating and collecting it costs more
 * than recording a few values: a run has a dozen tallies, and one per request of a sequence.
 */
const SPAN_MICROSECONDS = 32768
const FEW_VALUES = 100
const NONE = new Uint32Array(0)

class Tally {
  /** @param {number} [span] values below this many microseconds are counted in the array, which takes four bytes each */
  constructor (span = SPAN_MICROSECONDS) {
    this.spanOfMany = span
    /** 0 until the array is allocated. */
    this.span = 0
    this.counts = NONE
    this.large = new Distribution()
    this.low = span
    this.high = -1
    this.untilMany = FEW_VALUES
  }

  /** @param {number} microseconds a non-negative integer */
  record (microseconds) {
    this.recordTimes(microseconds, 1)
  }

  /** Like `record`, for `count` equal values: at least one. */
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
    this.pourCounts(distribution)
    this.low = this.spanOfMany
    this.high = -1
    if (this.large.count > 0) {
      distribution.add(this.large)
      this.large = new Distribution()
    }
  }

  // A function of its own, because V8 compiles the loop before it ends, and would discard the code at whatever comes after it: with a
  // dozen tallies, the first samples of a run cost as many compilations.
  pourCounts (distribution) {
    const { counts, high } = this
    for (let value = this.low; value <= high; value++) {
      const count = counts[value]
      if (count === 0) continue
      distribution.record(value, count)
      counts[value] = 0
    }
  }
}

module.exports = Tally
