'use strict'

/**
 * Decides which request of a list is sent next, by its index: one after the other, repeatedly.
 *
 *     list of 3:   place   0 1 2 | 0 1 2 | 0 …        next = 1:  at(0) = 1, at(1) = 2, at(2) = 0
 *
 * All protocols and scripts use this object to decide the order. To implement another order, write a class with the same members;
 * `isCyclic` tells whether requests sent together are adjacent in the list, so that their bytes may be joined.
 */
class RoundRobin {
  /** @param {number} length number of requests in the list */
  constructor (length) {
    this.length = length
    /** Index of the request that is sent next. */
    this.next = 0
  }

  get isCyclic () {
    return true
  }

  /** Whether the next request begins a round, which has its own context and its own row of the feed. */
  get beginsRound () {
    return this.next === 0
  }

  /** Number of requests left in the current round. */
  get leftInRound () {
    return this.length - this.next
  }

  /** Index of the request that is sent `behind` requests after the next one. */
  at (behind) {
    return (this.next + behind) % this.length
  }

  /** Advances to the next request. @returns {number} the index of the one to send now */
  take () {
    const place = this.next
    this.next = place + 1 < this.length ? place + 1 : 0
    return place
  }

  /** Makes the next request the first of a new round. */
  restart () {
    this.next = 0
  }

  /**
   * Counts the requests up to and including the first one that asks to close its connection.
   *
   * @param {{ closes: boolean }[]} requests the list
   * @param {number} within how many requests to look at
   * @returns {number} Infinity if none of them closes the connection
   */
  untilClosing (requests, within) {
    const most = Math.min(within, this.length)
    for (let behind = 0; behind < most; behind++) {
      if (requests[this.at(behind)].closes) return behind + 1
    }
    return Infinity
  }
}

/**
 * Sends the requests of a list by weight: the next one is whichever the mix deals out next. Each request is a round of its own. The
 * connections of a thread draw from one mix, each when it is about to send, and a connection keeps what it has drawn until it sends it.
 */
class ByWeight {
  constructor () {
    /** A MixShare that all connections share that send from the same queue, see mix.js. Set before anything is sent. */
    this.draws = null
    this.drawn = []
  }

  get isCyclic () {
    return false
  }

  get beginsRound () {
    return true
  }

  get leftInRound () {
    return 1
  }

  get next () {
    return this.at(0)
  }

  at (behind) {
    while (this.drawn.length <= behind) this.drawn.push(this.draws.next())
    return this.drawn[behind]
  }

  take () {
    return this.drawn.length === 0 ? this.draws.next() : this.drawn.shift()
  }

  restart () {}

  /** If any of them closes the connection, each might: which ones this connection gets depends on the others. */
  untilClosing (requests) {
    return requests.some(({ closes }) => closes) ? 1 : Infinity
  }
}

module.exports = { RoundRobin, ByWeight }
