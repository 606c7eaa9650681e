'use strict'

const { Mix, MixShare } = require('../../load/mix')
const { dealtTo, isSplit, numberInWhole, urlsUsed } = require('./part')

/**
 * Weighted requests of this part of the run: which connection sends which of them.
 *
 * In the closed model, the mix counts what this thread sends. In the open model, it counts the arrivals of the whole run, and each
 * thread has the draws that belong to its arrivals: one sequence of draws for each queue of the loop. An arrival keeps what was drawn
 * for it, whoever sends it in the end, and whether or not anyone does.
 *
 *     arrive ── give, with the arrival ── sent           arrive ── skip: nobody sends it
 *                 └── takeBack, give …: another sends it           give ── drop: nor does who has it
 */
class RequestMix {
  /**
   * @param {object} plan of a phase, with `mix`
   * @param {{ share: number, of: number }} part see part.js
   * @param {number} count how many connections this part has
   */
  constructor (plan, part, count) {
    const { mix: { weights }, connections, schedule, targets } = plan
    const mix = new Mix(weights)
    const share = (deal, isOurs) => new MixShare(mix.isShareable ? mix : new Mix(weights), deal, isOurs)
    const deal = { ...part, cycle: dealtTo(plan) }
    const lanes = urlsUsed(plan)
    /** The queue, by its index, that a connection takes from. */
    this.queueOf = (index) => index
    if (schedule === null) {
      this.draws = [share()]
    } else if (schedule.perConnection) {
      this.draws = Array.from({ length: count }, (_, index) => share({ share: numberInWhole(index, part), of: connections }))
    } else if (isSplit(plan)) {
      this.draws = Array.from({ length: lanes }, (_, lane) => share(deal, (number) => number % lanes === lane))
      this.queueOf = (index) => numberInWhole(index, part) % targets.length
    } else {
      this.draws = [share(deal)]
    }
    this.isByArrival = schedule !== null
    /** Those that no connection has. */
    this.arrivals = this.draws.map(() => new DueKinds())
  }

  // Each connection or each URL has a queue, or there is only one.
  placeOf (queue) {
    return this.draws.length === 1 ? 0 : queue
  }

  /** Prepares a connection for the phase. */
  begin ({ index, order }) {
    order.begin(this.draws[this.placeOf(this.queueOf(index))], this.isByArrival)
  }

  // --- open model. A queue is that of the loop, by its index

  arrive (queue, dueAt) {
    const place = this.placeOf(queue)
    this.arrivals[place].push(dueAt, this.draws[place].next())
  }

  give ({ index, order }, dueAt) {
    order.give(dueAt, this.arrivals[this.placeOf(this.queueOf(index))].take(dueAt))
  }

  takeBack ({ index, order }, dueAt) {
    this.arrivals[this.placeOf(this.queueOf(index))].putBack(dueAt, order.giveBack(dueAt))
  }

  drop ({ order }, dueAt) {
    order.giveBack(dueAt)
  }

  skip (queue, dueAt) {
    this.arrivals[this.placeOf(queue)].take(dueAt)
  }
}

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

module.exports = RequestMix
