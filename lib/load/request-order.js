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

  /** Whether the next request is known before it is sent, so that a think time may depend on it. */
  get isKnownAhead () {
    return true
  }

  /** Whether its requests belong to arrivals, so that another connection may get them instead. */
  get isByArrival () {
    return false
  }

  /** Changes when the next request is taken away. */
  get version () {
    return 0
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

  /** Something else is sent instead of the next request. */
  passOver () {}

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
 * Sends the requests of a list by weight: the next one is whichever the mix deals out next. Each request is a round of its own.
 *
 * In the closed model, the connections of a thread draw from one mix, each when it is about to send, and a connection keeps what it has
 * drawn until it sends it. In the open model, an arrival has its request from when it comes due, and a connection gets both
 * together: see engine/deal/request-mix.js.
 *
 *     closed   at, take ── draws.next()            open   give ── at, take ── sent
 *                                                           └──── giveBack, if it was not sent
 */
class ByWeight {
  constructor () {
    /** A MixShare that all connections share that send from the same queue, see mix.js. Set by `begin`. */
    this.draws = null
    this.isByArrival = false
    this.drawn = []
    /** When these came due; empty unless they belong to arrivals. */
    this.dues = []
    /** The one that was taken last. */
    this.last = 0
    this.version = 0
  }

  /** Begins a phase. @param {MixShare} draws @param {boolean} isByArrival */
  begin (draws, isByArrival) {
    this.draws = draws
    this.isByArrival = isByArrival
    this.drawn.length = 0
    this.dues.length = 0
    this.version++
  }

  get isCyclic () {
    return false
  }

  get isKnownAhead () {
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
    this.last = this.drawn.length === 0 ? this.draws.next() : this.drawn.shift()
    this.dues.shift()
    return this.last
  }

  restart () {}

  /** If any of them closes the connection, each might: which ones this connection gets depends on the others. */
  untilClosing (requests) {
    return requests.some(({ closes }) => closes) ? 1 : Infinity
  }

  // --- open model

  /** The connection gets an arrival, which is a request of this kind. */
  give (dueAt, kind) {
    this.dues.push(dueAt)
    this.drawn.push(kind)
  }

  /**
   * The connection has not sent an arrival, and loses it. If it was taken already, it is the one that was taken last.
   *
   * @returns {number} its kind
   */
  giveBack (dueAt) {
    const place = this.dues.indexOf(dueAt)
    if (place <= 0) this.version++
    if (place === -1) return this.last
    this.dues.splice(place, 1)
    return this.drawn.splice(place, 1)[0]
  }

  /** The arrival was taken, but not sent: it is about to be given back. */
  untake (dueAt, kind) {
    this.dues.unshift(dueAt)
    this.drawn.unshift(kind)
  }

  /** The next arrival is used for something else, such as a redirect: its kind is that of a later one. */
  passOver () {
    if (!this.isByArrival || this.drawn.length === 0) return
    this.dues.shift()
    this.draws.reuse(this.drawn.shift())
  }
}

module.exports = { RoundRobin, ByWeight }
