'use strict'

// Marks a request that has not been sent before.
const FRESH = -1

/**
 * The requests given to a connection that are not written yet, oldest first: when they came due and, if they are being
 * retried, when their deadline began to count. A ring, so that a request allocates nothing.
 */
class Waiting {
  /** @param {number} depth the maximum number of requests */
  constructor (depth) {
    let capacity = 1
    while (capacity < depth) capacity *= 2
    this.mask = capacity - 1
    this.dueAt = new Float64Array(capacity)
    this.begunAt = new Float64Array(capacity)
    this.head = 0
    this.count = 0
    this.retryCount = 0
  }

  add (dueAt, begunAt = FRESH) {
    const place = (this.head + this.count++) & this.mask
    this.dueAt[place] = dueAt
    this.begunAt[place] = begunAt
    if (begunAt !== FRESH) this.retryCount++
  }

  /** When the one came due that is taken next; there must be one. */
  get next () {
    return this.dueAt[this.head]
  }

  /** When each came due, in the order in which they are taken. */
  get dues () {
    return Array.from({ length: this.count }, (_, index) => this.dueAt[(this.head + index) & this.mask])
  }

  /** When the deadline of the oldest one began to count; FRESH if it is not a retry. */
  get oldestBegunAt () {
    return this.begunAt[this.head]
  }

  /** Removes the oldest. @returns {number} when it came due */
  take () {
    const dueAt = this.dueAt[this.head]
    if (this.begunAt[this.head] !== FRESH) this.retryCount--
    this.head = (this.head + 1) & this.mask
    this.count--
    return dueAt
  }

  /** Removes one of them, by its place. @returns {number} when it came due */
  remove (place) {
    const all = this.takeAll()
    for (const { dueAt, begunAt } of all.toSpliced(place, 1)) this.add(dueAt, begunAt)
    return all[place].dueAt
  }

  takeAll () {
    const all = []
    while (this.count > 0) {
      const begunAt = this.oldestBegunAt
      all.push({ begunAt, dueAt: this.take() })
    }
    return all
  }

  /** When the earliest deadline of a retried request began to count; Infinity if there is none. */
  get oldestRetry () {
    if (this.retryCount === 0) return Infinity
    let oldest = Infinity
    for (let index = 0; index < this.count; index++) {
      const begunAt = this.begunAt[(this.head + index) & this.mask]
      if (begunAt !== FRESH && begunAt < oldest) oldest = begunAt
    }
    return oldest
  }

  /** The retried requests, oldest first. @returns {object[]} */
  get retries () {
    if (this.retryCount === 0) return []
    const all = Array.from({ length: this.count }, (_, index) => (this.head + index) & this.mask)
    return all.map((place) => ({ dueAt: this.dueAt[place], begunAt: this.begunAt[place] })).filter(({ begunAt }) => begunAt !== FRESH)
  }

  /** Removes the retried requests whose deadline began at or before `start`. @returns {object[]} */
  takeRetries (start) {
    if (this.retryCount === 0) return []
    const all = this.takeAll()
    const isLate = ({ begunAt }) => begunAt !== FRESH && begunAt <= start
    for (const { dueAt, begunAt } of all.filter((request) => !isLate(request))) this.add(dueAt, begunAt)
    return all.filter(isLate)
  }
}

module.exports = Waiting
