'use strict'

/**
 * Which request of a list is sent next, by its place in the list: one after the other, round and round.
 *
 *     list of 3:   place   0 1 2 | 0 1 2 | 0 …        next = 1:  at(0) = 1, at(1) = 2, at(2) = 0
 *
 * This is the one object that decides it, for all protocols and for scripts. Another order is another class with the same members;
 * `isCyclic` tells whether the requests that go out together stand next to each other in the list, so that their bytes may be joined.
 */
class RoundRobin {
  /** @param {number} length how many requests the list has */
  constructor (length) {
    this.length = length
    /** The place of the request that is sent next. */
    this.next = 0
  }

  get isCyclic () {
    return true
  }

  /** Whether the next request begins a round, which has a context and a row of the feed of its own. */
  get beginsRound () {
    return this.next === 0
  }

  /** How many requests a round that has begun still has. */
  get leftInRound () {
    return this.length - this.next
  }

  /** The place of the request that goes out `behind` requests after the next one. */
  at (behind) {
    return (this.next + behind) % this.length
  }

  /** The next request goes out. @returns {number} its place */
  take () {
    const place = this.next
    this.next = place + 1 < this.length ? place + 1 : 0
    return place
  }

  /** The next request is the first of a new round. */
  restart () {
    this.next = 0
  }

  /**
   * How many requests go out until one has said that its connection ends.
   *
   * @param {{ closes: boolean }[]} requests the list
   * @param {number} within how many requests matter
   * @returns {number} Infinity: none of them does
   */
  untilClosing (requests, within) {
    const most = Math.min(within, this.length)
    for (let behind = 0; behind < most; behind++) {
      if (requests[this.at(behind)].closes) return behind + 1
    }
    return Infinity
  }
}

module.exports = { RoundRobin }
