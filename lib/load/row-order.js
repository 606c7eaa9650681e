'use strict'

const { createRandom } = require('./random')
const { following } = require('./share')

// Seeds of a user are below this. Rows drawn from the stream that also makes the arrivals would go with their distances.
const OTHER_STREAM = 2 ** 32

/**
 * Which row of a feed is next. In the whole run draw i gives row
 *
 *     sequential    i modulo count
 *     once          i, and none from i = count on
 *     random        floor(count × U), U uniform in [0, 1)
 *
 * and each thread has its share of the draws, dealt out as arrivals are (see share.js), so that the threads together draw
 * what one would.
 *
 * @param {object} feed
 * @param {number} feed.count how many rows there are
 * @param {'sequential'|'random'|'once'} feed.order
 * @param {number} [feed.seed=0] random: a whole number below 2^32; the same seed gives the same rows
 * @param {{ share: number, of: number, cycle: number }} [deal] as createPacer takes them
 * @returns {{ next: function(): number, left: number }} next() is the index of a row, -1 when there is none left; `left`
 *   tells how often it will be one
 */
function createRowOrder ({ count, order, seed }, { share = 0, of = 1, cycle = of } = {}) {
  const draws = new Draws({ share, of, cycle }, order === 'once' ? count : Infinity)
  return order === 'random' ? new RandomRows(count, seed, draws) : new RowsInTurn(count, draws)
}

// The numbers of the draws that are a share's.
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

// How many of the first `count` draws are a share's.
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
  constructor (count, seed = 0, draws) {
    this.count = count
    this.random = createRandom(seed + OTHER_STREAM)
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
