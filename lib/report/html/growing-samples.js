'use strict'

const { joinSamples, sampleOf } = require('./samples')

/** More points than any screen has room for. */
const MOST_SAMPLES = 2000

/**
 * The samples of a run that goes on, for charts that are drawn again with each: at most 2,000, however long it lasts. When there
 * are more, neighbours are joined, with the highest of their latencies, so that no peak is lost.
 */
class GrowingSamples {
  constructor () {
    this.clear()
  }

  clear () {
    this.joined = []
    // How many make one of these, and those that are not enough for another one yet.
    this.width = 1
    this.rest = []
    this.count = 0
  }

  /**
   * @param {object} row as in `result.timeline`
   * @param {number} index its place there; the last one may come again, with what was added to it, and 0 begins another run
   * @param {number} sampleInt ms
   */
  add (row, index, sampleInt) {
    if (index === 0) this.clear()
    if (index < this.count) {
      this.rest.pop()
      this.count--
    }
    if (this.rest.length === this.width) this.closeRest()
    if (this.joined.length === MOST_SAMPLES) this.halve()
    this.rest.push(sampleOf(row, 0, sampleInt))
    this.count++
  }

  closeRest () {
    this.joined.push(joinAll(this.rest))
    this.rest = []
  }

  halve () {
    const halved = []
    for (let index = 0; index < this.joined.length; index += 2) halved.push(joinSamples(this.joined.slice(index, index + 2)))
    this.joined = halved
    this.width *= 2
  }

  /** As `samplesOf` gives them. */
  toArray () {
    return this.rest.length === 0 ? this.joined.slice() : [...this.joined, joinAll(this.rest)]
  }
}

function joinAll (samples) {
  return samples.length === 1 ? samples[0] : joinSamples(samples)
}

module.exports = GrowingSamples
