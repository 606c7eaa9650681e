'use strict'

const { joinSamples, sampleOf } = require('./samples')

/** More points than fit on any screen. */
const MOST_SAMPLES = 2000

/**
 * The samples of a run in progress, for charts that are redrawn with each sample: at most 2,000, however long the run
 * takes. Beyond that, neighbours are merged and keep the highest latency, so that no peak is lost.
 */
class GrowingSamples {
  constructor () {
    this.clear()
  }

  clear () {
    this.joined = []
    // `width`: the number of samples per merged one; `rest`: samples that are not enough for another one yet.
    this.width = 1
    this.rest = []
    this.count = 0
  }

  /**
   * @param {object} row as in `result.timeline`
   * @param {number} index its index there; the last sample may be repeated with updated values, and 0 starts another run
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

  /** Returns the samples in the form of `samplesOf`. */
  toArray () {
    return this.rest.length === 0 ? this.joined.slice() : [...this.joined, joinAll(this.rest)]
  }
}

function joinAll (samples) {
  return samples.length === 1 ? samples[0] : joinSamples(samples)
}

module.exports = GrowingSamples
