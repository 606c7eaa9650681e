'use strict'

/**
 * What is known of a distribution without its histogram: how many values there are, their sum, the smallest and the
 * largest. It adds up as a Distribution does, and costs next to nothing to make, to send and to add.
 */
class Span {
  constructor ({ count, sum, min, max } = { count: 0, sum: 0, min: Infinity, max: 0 }) {
    this.count = count
    this.sum = sum
    this.min = min
    this.max = max
  }

  /** @param {number} microseconds whole and not negative @param {number} [count] how often */
  record (microseconds, count = 1) {
    this.count += count
    this.sum += microseconds * count
    if (microseconds < this.min) this.min = microseconds
    if (microseconds > this.max) this.max = microseconds
  }

  /** Adds what another one holds. */
  add (other) {
    this.count += other.count
    this.sum += other.sum
    this.min = Math.min(this.min, other.min)
    this.max = Math.max(this.max, other.max)
    return this
  }

  /** @param {object} data a Span, a Distribution, or one of these after a journey to another thread */
  static from (data) {
    return new Span(data)
  }
}

module.exports = Span
