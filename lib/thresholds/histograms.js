'use strict'

const { decodeHistogram } = require('../base/encoded-histogram')

const PERCENTILE = /^p(\d+(?:_\d+)?)$/

/** Of which percentile a field is: 99.9 of `p99_9`; null where it is of none. */
function percentOf (name) {
  const match = PERCENTILE.exec(name)
  return match === null ? null : Number(match[1].replace('_', '.'))
}

/** A histogram of a result; null where it is missing. One that cannot be read tells no more than one that is missing. */
function decode (encoded) {
  if (encoded === undefined) return null
  try {
    return decodeHistogram(encoded)
  } catch {
    return null
  }
}

/** The value of a rank, ms, in some histograms together, without those that are in another; Infinity beyond the last. */
function valueOfRank (histograms, without, rank) {
  let seen = 0
  const [all] = histograms.toSorted((one, other) => other.countsArrayLength - one.countsArrayLength)
  // Values of the same size are at the same index, however far a histogram reaches.
  for (let index = 0; index < all.countsArrayLength; index++) {
    for (const histogram of histograms) if (index < histogram.countsArrayLength) seen += histogram.getCountAtIndex(index)
    if (without !== null && index < without.countsArrayLength) seen -= without.getCountAtIndex(index)
    if (seen >= rank) return all.highestEquivalentValue(all.valueFromIndex(index)) / 1000
  }
  return Infinity
}

module.exports = { PERCENTILE, decode, percentOf, valueOfRank }
