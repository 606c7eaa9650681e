'use strict'

const { createRowOrder } = require('../../load/row-order')

/** The rows that this thread hands out, to whichever connection begins a round of its sequence. */
class Feed {
  /**
   * @param {object} plan with a feed
   * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
   */
  constructor ({ feed: { rows, order }, seed, connections, sessions }, part) {
    this.rows = rows
    this.order = createRowOrder({ count: rows.length, order, seed }, { ...part, cycle: sessions === null ? connections : part.of })
  }

  /** How many rows there still are; Infinity where they are used again and again. */
  get left () {
    return this.order.left
  }

  /** @returns {?object} null when all have been used */
  next () {
    const index = this.order.next()
    return index === -1 ? null : this.rows[index]
  }
}

module.exports = Feed
