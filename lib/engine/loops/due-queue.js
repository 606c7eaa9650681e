'use strict'

/*
 * The due times of requests that wait for a free connection, oldest first. A ring in a typed array, because under overload a
 * million of them may wait, and an array's shift() would move them all.
 *
 *     [ 10.4 ][ 10.5 ][      ][      ][ 10.1 ][ 10.2 ][ 10.3 ]      head = 4, length = 5
 */
class DueQueue {
  /** @param {number} [number] of the queue in its loop */
  constructor (number = 0) {
    this.number = number
    this.times = new Float64Array(16)
    this.head = 0
    this.length = 0
  }

  /** The due time that `shift` takes next. The queue must not be empty. */
  get oldest () {
    return this.times[this.head]
  }

  push (dueAt) {
    if (this.length === this.times.length) this.grow()
    this.times[(this.head + this.length) & (this.times.length - 1)] = dueAt
    this.length++
  }

  /** Puts a due time back in order. Usually it is the oldest, but not always if two connections return requests. */
  putBack (dueAt) {
    if (this.length === this.times.length) this.grow()
    const mask = this.times.length - 1
    this.head = (this.head - 1) & mask
    this.length++
    let place = 0
    for (; place + 1 < this.length; place++) {
      const older = this.times[(this.head + place + 1) & mask]
      if (older >= dueAt) break
      this.times[(this.head + place) & mask] = older
    }
    this.times[(this.head + place) & mask] = dueAt
  }

  /** Moves all due times of another queue into this one. @param {DueQueue} other must not be used afterwards */
  absorb (other) {
    const merged = new DueQueue(this.number)
    while (this.length > 0 && other.length > 0) merged.push(this.oldest <= other.oldest ? this.shift() : other.shift())
    while (this.length > 0) merged.push(this.shift())
    while (other.length > 0) merged.push(other.shift())
    Object.assign(this, merged)
  }

  shift () {
    const dueAt = this.times[this.head]
    this.head = (this.head + 1) & (this.times.length - 1)
    this.length--
    return dueAt
  }

  each (visit) {
    for (let index = 0; index < this.length; index++) visit(this.times[(this.head + index) & (this.times.length - 1)])
  }

  grow () {
    const larger = new Float64Array(this.times.length * 2)
    for (let index = 0; index < this.length; index++) larger[index] = this.times[(this.head + index) & (this.times.length - 1)]
    this.times = larger
    this.head = 0
  }
}

module.exports = DueQueue
