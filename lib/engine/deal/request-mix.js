'use strict'

const { Mix, MixShare } = require('../../load/mix')
const { dealtTo, isSplit, numberInWhole, urlsUsed } = require('./part')

/**
 * Weighted requests of this part of the run: which connection sends which of them.
 *
 * In the closed model, the mix counts what this thread sends. In the open model, it counts the arrivals of the whole run, and each
 * thread has the draws that belong to its arrivals. Requests that wait in one queue are sent in the order in which they came due, so
 * there is one sequence of draws for each queue of the loop.
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
  }

  /** The draws of a connection. */
  ofConnection (index) {
    return this.ofQueue(this.queueOf(index))
  }

  // Each connection or each URL has a queue, or there is only one.
  ofQueue (queue) {
    return this.draws[this.draws.length === 1 ? 0 : queue]
  }

  /** A request of a queue will not be sent, which leaves out its place in the mix. */
  skip (queue) {
    this.ofQueue(queue).next()
  }
}

module.exports = RequestMix
