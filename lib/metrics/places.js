'use strict'

/*
 * The counts of an HDR histogram of whole microseconds with three digits. Each place counts values that are told from each
 * other by less than a thousandth:
 *
 *     microseconds   0 … 2047, each | 2048, 2050 … 4094 | 4096, 4100 … 8188 | …
 *     place          0 … 2047       | 2048 … 3071       | 3072 … 4095       | …
 *     page           0 … 31         | 32 … 47           | 48 … 63           | …
 *
 * Up to an hour there are 24,000 places, and a short run fills a few of them, near each other. So there are pages, and only
 * those of which a place was used: a run begins and ends with dozens of distributions, and a flat array for each of them
 * was a third of what a run of one request cost.
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

  /** @param {number} microseconds whole and not negative @param {number} count how often */
  record (microseconds, count) {
    this.recordAt(placeOf(microseconds), count)
  }

  recordAt (place, count) {
    const index = place >> PAGE_BITS
    const page = this.pages[index] ?? this.open(index)
    page[place & PLACE_IN_PAGE] += count
  }

  // Without holes, which would make every look at it slower.
  open (index) {
    while (this.pages.length <= index) this.pages.push(undefined)
    const page = new Array(PAGE).fill(0)
    this.pages[index] = page
    return page
  }

  /** Adds what another one has counted. */
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

  /** @returns {number} the next place from this one on at which something was counted; -1: there is none */
  nextFrom (place) {
    const { pages } = this
    for (let at = place; (at >> PAGE_BITS) < pages.length; at++) {
      const page = pages[at >> PAGE_BITS]
      if (page === undefined) at |= PLACE_IN_PAGE
      else if (page[at & PLACE_IN_PAGE] !== 0) return at
    }
    return -1
  }

  /** All that was counted, in pairs: how many places after the last one that is not 0 (the first: after -1), and the count. */
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

/** Where a value is counted. */
function placeOf (microseconds) {
  if (microseconds < EACH) return microseconds
  const doublings = doublingsOf(microseconds)
  return doublings * HALF + Math.floor(microseconds / 2 ** doublings)
}

// How often the range has doubled where a value of at least EACH is: by its highest bit.
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
