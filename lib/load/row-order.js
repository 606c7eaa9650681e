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
 * together draw the same rows as a single one would. With scenarios that are dealt out by arrival, draw i of a scenario is that of its
 * i-th session over all threads.
 *
 * @param {object} feed
 * @param {number} feed.count number of rows
 * @param {'sequential'|'random'|'once'} feed.order
 * @param {number} [feed.seed=0] random: an integer below 2^32; the same seed gives the same rows
 * @param {number} [feed.scenario=0] random: the index of the scenario, which has an order of its own
 * @param {{ share: number, of: number, cycle: number }} [deal] as for createPacer
 * @param {?Mix} [mix] deals out the scenarios of all arrivals; null if each share has a mix of its own
 * @returns {{ next: function(): number, left: number }} next() returns the index of a row, or -1 if there are none left;
 *   `left` is the number of rows left
 */
function createRowOrder ({ count, order, seed, scenario = 0 }, { share = 0, of = 1, cycle = of } = {}, mix = null) {
  const deal = { share, of, cycle }
  const draws = mix === null ? new Draws(deal, order === 'once' ? count : Infinity) : new DrawsOfScenario(deal, mix, scenario)
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

// The indices of the draws of a scenario whose sessions belong to a share. The share has every n-th arrival, but the sessions of a
// scenario may all be among these.
class DrawsOfScenario {
  constructor (deal, mix, scenario) {
    this.deal = deal
    this.mix = mix
    this.scenario = scenario
    this.index = -1
    this.arrival = -1
    this.ours = following(-1, deal)
    this.left = Infinity
  }

  next () {
    for (;;) {
      const arrival = ++this.arrival
      const isOurs = arrival === this.ours
      if (isOurs) this.ours = following(arrival, this.deal)
      if (this.mix.at(arrival) !== this.scenario) continue
      this.index++
      if (isOurs) return this.index
    }
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
