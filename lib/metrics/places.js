'use strict'

/*
 * The counts of an HDR histogram of whole microseconds with three significant digits. Each place counts values that differ by
 * less than a thousandth:
 *
 *     microseconds   0 … 2047, each | 2048, 2050 … 4094 | 4096, 4100 … 8188 | …
 *     place          0 … 2047       | 2048 … 3071       | 3072 … 4095       | …
 *     page           0 … 31         | 32 … 47           | 48 … 63           | …
 *
 * Up to an hour there are 24,000 places, and a short run uses only a few of them, close together. So places are grouped into
 * pages that are allocated when first used: a run starts and ends with dozens of distributions, and a flat array for each of
 * them took a third of the time of a run of one request.
 */
const EACH = 2048
const HALF_BITS = 10
const HALF = 2 ** HALF_BITS
const PAGE_BITS = 6
const PAGE = 2 ** PAGE_BITS
const PLACE_IN_PAGE = PAGE - 1
const LARGEST_INT = 2 ** 31 - 1
const HIGH_BITS = 22

class Places {
  constructor () {
    this.pages = []
  }

  /** @param {number} microseconds a non-negative integer @param {number} count how many times to record it */
  record (microseconds, count) {
    this.recordAt(placeOf(microseconds), count)
  }

  recordAt (place, count) {
    const index = place >> PAGE_BITS
    const page = this.pages[index] ?? this.open(index)
    page[place & PLACE_IN_PAGE] += count
  }

  // Fills the array without holes, because V8 reads arrays with holes more slowly.
  open (index) {
    while (this.pages.length <= index) this.pages.push(undefined)
    const page = new Array(PAGE).fill(0)
    this.pages[index] = page
    return page
  }

  /** Adds the counts of another instance. */
  add ({ pages }) {
    for (let index = 0; index < pages.length; index++) {
      const theirs = pages[index]
      if (theirs === undefined) continue
      const ours = this.pages[index] ?? this.open(index)
      for (let place = 0; place < PAGE; place++) ours[place] += theirs[place]
    }
  }

  countAt (place) {
    const page = this.pages[place >> PAGE_BITS]
    return page === undefined ? 0 : page[place & PLACE_IN_PAGE]
  }

  /** @returns {number} the first place at or after this one that has a count; -1 if there is none */
  nextFrom (place) {
    const { pages } = this
    for (let at = place; (at >> PAGE_BITS) < pages.length; at++) {
      const page = pages[at >> PAGE_BITS]
      if (page === undefined) at |= PLACE_IN_PAGE
      else if (page[at & PLACE_IN_PAGE] !== 0) return at
    }
    return -1
  }

  /** All counts as a flat list of pairs: the distance from the previous non-empty place (initially -1), and the count. */
  toPairs () {
    const pairs = []
    for (let last = -1, place = this.nextFrom(0); place !== -1; place = this.nextFrom(place + 1)) {
      pairs.push(place - last, this.countAt(place))
      last = place
    }
    return pairs
  }

  addPairs (pairs) {
    for (let index = 0, place = -1; index < pairs.length; index += 2) {
      place += pairs[index]
      this.recordAt(place, pairs[index + 1])
    }
  }
}

/** The place at which a value is counted. */
function placeOf (microseconds) {
  if (microseconds < EACH) return microseconds
  const doublings = doublingsOf(microseconds)
  return doublings * HALF + Math.floor(microseconds / 2 ** doublings)
}

// How many times the range doubles from EACH to this value, which must be at least EACH; computed from its highest bit.
function doublingsOf (microseconds) {
  if (microseconds <= LARGEST_INT) return 31 - HALF_BITS - Math.clz32(microseconds)
  return 31 - HALF_BITS + HIGH_BITS - Math.clz32(Math.floor(microseconds / 2 ** HIGH_BITS))
}

/** The largest value that is counted at this place. */
function highestOf (place) {
  if (place < EACH) return place
  const doublings = Math.floor(place / HALF) - 1
  return (place - doublings * HALF + 1) * 2 ** doublings - 1
}

module.exports = Object.assign(Places, { placeOf, highestOf })
