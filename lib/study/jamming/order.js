'use strict'

/*
 * The order in which a level tries its rates: the steps double until a rate is bad, and then the interval between the last good rate
 * and that one is bisected. This finds the same two neighbors as trying every rate from the lowest on, in fewer runs.
 */

/**
 * Returns the next rate to try, as its index.
 *
 * @param {{ good: number, bad: number }} found the highest good rate so far, -1 if there is none; the lowest bad one, `count` if there
 *   is none
 * @param {number} count of rates
 * @returns {?number} null if the two are neighbors
 */
function nextOf ({ good, bad }, count) {
  if (bad - good === 1) return null
  return bad < count ? Math.floor((good + bad) / 2) : Math.min(Math.max(0, 2 * good + 1), count - 1)
}

/**
 * Returns how long a level takes at most, wherever its first bad rate is.
 *
 * @param {number} count of rates
 * @param {{ good: number, bad: number }} seconds that a good rate takes, and a bad one
 */
function longestSearch (count, seconds) {
  return Array.from({ length: count + 1 }, (_, firstBad) => searchUntil(firstBad, count, seconds)).reduce((most, each) => Math.max(most, each))
}

function searchUntil (firstBad, count, seconds) {
  const found = { good: -1, bad: count }
  let sum = 0
  for (let next = nextOf(found, count); next !== null; next = nextOf(found, count)) {
    const kind = next < firstBad ? 'good' : 'bad'
    found[kind] = next
    sum += seconds[kind]
  }
  return sum
}

module.exports = { longestSearch, nextOf }
