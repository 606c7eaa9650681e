'use strict'

const { dealtTo, numberInWhole, urlsUsed } = require('./part')

/**
 * How one part of the run splits the amount among its URLs: evenly, regardless of how fast each of them responds. A lane is the
 * requests to one URL together with the connections to it.
 *
 *     5 requests, 2 URLs, 2 connections:   request   0 1 | 2 3 | 4
 *                                          lane      0 1 | 0 1 | 0
 */
class Split {
  /**
   * @param {object} plan
   * @param {{ share: number, of: number }} part
   * @param {number} connections how many connections this part has
   */
  constructor (plan, part, connections) {
    this.part = part
    this.lanes = urlsUsed(plan)
    this.dealtTo = dealtTo(plan)
    this.laneOfConnection = Uint32Array.from({ length: connections }, (_, index) => numberInWhole(index, part) % plan.targets.length)
  }

  laneOf ({ index }) {
    return this.laneOfConnection[index]
  }

  /** The lane of a request, by its number in the whole run. */
  laneOfRequest (number) {
    return number % this.lanes
  }

  /**
   * Computes how many of the run's first `count` requests each lane of this part gets.
   *
   * @param {number} count
   * @returns {Float64Array}
   */
  budgets (count) {
    const budgets = new Float64Array(this.lanes)
    const { share, of } = this.part
    for (let place = share; place < this.dealtTo; place += of) {
      budgets[place % this.lanes] += Math.max(0, Math.ceil((count - place) / this.dealtTo))
    }
    return budgets
  }
}

module.exports = Split
