'use strict'

/**
 * A summary of a distribution without its histogram: the number of values, their sum, minimum and maximum. It can
 * be merged like a Distribution, and is very cheap to create, send and merge.
 */
class Span {
  constructor ({ count, sum, min, max } = { count: 0, sum: 0, min: Infinity, max: 0 }) {
    this.count = count
    this.sum = sum
    this.min = min
    this.max = max
  }

  /** @param {number} microseconds a non-negative integer @param {number} [count] how many times to record it */
  record (microseconds, count = 1) {
    this.count += count
    this.sum += microseconds * count
    if (microseconds < this.min) this.min = microseconds
    if (microseconds > this.max) this.max = microseconds
  }

  /** Adds the values of another Span. */
  add (other) {
    this.count += other.count
    this.sum += other.sum
    this.min = Math.min(this.min, other.min)
    this.max = Math.max(this.max, other.max)
    return this
  }

  /** @param {object} data a Span, a Distribution, or the data of either one from another thread */
  static from (data) {
    return new Span(data)
  }
}

module.exports = Span
