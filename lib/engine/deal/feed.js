'use strict'

const { createRowOrder } = require('../../load/row-order')

/** The feed rows that this thread hands out; a connection takes one each time it begins a round of its sequence. */
class Feed {
  /**
   * @param {object} plan with a feed
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   */
  constructor ({ feed: { rows, order }, seed, connections, sessions }, part) {
    this.rows = rows
    this.order = createRowOrder({ count: rows.length, order, seed }, { ...part, cycle: sessions === null ? connections : part.of })
  }

  /** How many rows are left; Infinity if rows are reused. */
  get left () {
    return this.order.left
  }

  /** @returns {?object} null when all rows have been used */
  next () {
    const index = this.order.next()
    return index === -1 ? null : this.rows[index]
  }
}

module.exports = Feed
