'use strict'

const { createRandom } = require('./random')
const { seedOfRows } = require('./seeds')
const { following } = require('./share')

/**
 * Decides which row of a feed is next. Draw i of the whole run gives row
 *
 *     sequential    i modulo count
 *     once          i, and none from i = count on
 *     random        floor(count × U), U uniform in [0, 1)
 *
 * Each thread has its share of the draws, distributed in the same way as arrivals (see share.js), so that all threads
 * together draw the same rows as a single one would.
 *
 * @param {object} feed
 * @param {number} feed.count number of rows
 * @param {'sequential'|'random'|'once'} feed.order
 * @param {number} [feed.seed=0] random: an integer below 2^32; the same seed gives the same rows
 * @param {number} [feed.scenario=0] random: the index of the scenario, which has an order of its own
 * @param {{ share: number, of: number, cycle: number }} [deal] as for createPacer
 * @returns {{ next: function(): number, left: number }} next() returns the index of a row, or -1 if there are none left;
 *   `left` is the number of rows left
 */
function createRowOrder ({ count, order, seed, scenario = 0 }, { share = 0, of = 1, cycle = of } = {}) {
  const draws = new Draws({ share, of, cycle }, order === 'once' ? count : Infinity)
  return order === 'random' ? new RandomRows(count, seed, scenario, draws) : new RowsInTurn(count, draws)
}

// The indices of the draws that belong to a share.
class Draws {
  constructor (deal, limit) {
    this.deal = deal
    this.index = -1
    this.left = shareOfFirst(limit, deal)
  }

  next () {
    if (this.left === 0) return -1
    this.left--
    this.index = following(this.index, this.deal)
    return this.index
  }
}

// How many of the first `count` draws belong to a share.
function shareOfFirst (count, { share, of, cycle }) {
  const inPlaces = (places) => Math.max(0, Math.ceil((places - share) / of))
  return count === Infinity ? Infinity : Math.floor(count / cycle) * inPlaces(cycle) + inPlaces(count % cycle)
}

class RowsInTurn {
  constructor (count, draws) {
    this.count = count
    this.draws = draws
  }

  get left () {
    return this.draws.left
  }

  next () {
    const draw = this.draws.next()
    return draw === -1 ? -1 : draw % this.count
  }
}

class RandomRows {
  constructor (count, seed = 0, scenario, draws) {
    this.count = count
    this.random = createRandom(seedOfRows(seed, scenario))
    this.draws = draws
    this.left = Infinity
  }

  next () {
    const last = this.draws.index
    for (let others = this.draws.next() - last - 1; others > 0; others--) this.random.next()
    return Math.floor(this.count * this.random.next())
  }
}

module.exports = { createRowOrder }
