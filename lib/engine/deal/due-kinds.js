'use strict'

// The arrays are shortened once this many of their first entries are unused.
const MOST_UNUSED = 1024

/**
 * Which kind of request each arrival of one queue is, by its due time. Requests usually leave in the order in which they came due,
 * but not always: one whose connection broke comes back, and a hook may still prepare an older one. Arrivals that are due at the
 * same time are interchangeable.
 */
class DueKinds {
  constructor () {
    this.dues = []
    this.kinds = []
    /** The index of the oldest. */
    this.first = 0
  }

  push (dueAt, kind) {
    this.dues.push(dueAt)
    this.kinds.push(kind)
  }

  /** Removes the arrival that is due at this time; there must be one. @returns {number} its kind */
  take (dueAt) {
    const { dues, kinds, first } = this
    let place = first
    while (dues[place] !== dueAt) place++
    const kind = kinds[place]
    for (; place > first; place--) {
      dues[place] = dues[place - 1]
      kinds[place] = kinds[place - 1]
    }
    this.first++
    if (this.first === MOST_UNUSED) this.shorten()
    return kind
  }

  /** Puts back an arrival that was not sent. */
  putBack (dueAt, kind) {
    const { dues, kinds } = this
    let place = this.first
    while (place < dues.length && dues[place] < dueAt) place++
    dues.splice(place, 0, dueAt)
    kinds.splice(place, 0, kind)
  }

  shorten () {
    this.dues.splice(0, this.first)
    this.kinds.splice(0, this.first)
    this.first = 0
  }
}

module.exports = DueKinds
