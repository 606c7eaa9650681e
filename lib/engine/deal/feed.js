'use strict'

const { createRowOrder } = require('../../load/row-order')
const { mixesOf } = require('./scenarios')

/**
 * The feed rows that this thread hands out; a connection takes one each time it begins a round of its sequence. With scenarios, each
 * uses the rows from the beginning.
 */
class Feed {
  /**
   * @param {object} plan with a feed
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   */
  constructor ({ feed: { rows, order }, seed, connections, schedule, sessions, scenarios }, part) {
    this.rows = rows
    const deal = { ...part, cycle: sessions === null ? connections : part.of }
    const mixFor = scenarios === null ? () => null : mixesOf(scenarios, schedule)
    this.orders = Array.from({ length: scenarios?.length ?? 1 }, (_, scenario) => createRowOrder({ count: rows.length, order, seed, scenario }, deal, mixFor()))
  }

  /** How many rows are left; Infinity if rows are reused. */
  get left () {
    return this.orders[0].left
  }

  /** @param {number} [scenario] @returns {?object} null when all rows have been used */
  next (scenario = 0) {
    const index = this.orders[scenario].next()
    return index === -1 ? null : this.rows[index]
  }
}

module.exports = Feed
