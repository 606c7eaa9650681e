'use strict'

const { decodeHistogram } = require('../base/encoded-histogram')

const PERCENTILE = /^p(\d+(?:_\d+)?)$/

/** The percentile that a field name stands for: 99.9 for `p99_9`; null if it is not a percentile. */
function percentOf (name) {
  const match = PERCENTILE.exec(name)
  return match === null ? null : Number(match[1].replace('_', '.'))
}

// The last ones that were decoded, because most figures are asked for several percentiles in a row.
const decoded = new Map()
const MOST_KEPT = 4

/** Decodes a histogram of a result, which must not be changed; returns null if it is missing or cannot be read. */
function decode (encoded) {
  if (encoded === undefined) return null
  if (!decoded.has(encoded)) {
    if (decoded.size === MOST_KEPT) decoded.delete(decoded.keys().next().value)
    decoded.set(encoded, decodeOrNull(encoded))
  }
  return decoded.get(encoded)
}

function decodeOrNull (encoded) {
  try {
    return decodeHistogram(encoded)
  } catch {
    return null
  }
}

/** The value of a rank, in ms, in several histograms combined, minus the values of another; Infinity beyond the last. */
function valueOfRank (histograms, without, rank) {
  let seen = 0
  const [all] = histograms.toSorted((one, other) => other.countsArrayLength - one.countsArrayLength)
  // In all histograms, the same value has the same index, regardless of their ranges.
  for (let index = 0; index < all.countsArrayLength; index++) {
    for (const histogram of histograms) if (index < histogram.countsArrayLength) seen += histogram.getCountAtIndex(index)
    if (without !== null && index < without.countsArrayLength) seen -= without.getCountAtIndex(index)
    if (seen >= rank) return all.highestEquivalentValue(all.valueFromIndex(index)) / 1000
  }
  return Infinity
}

/** How many values of a histogram are in a bucket above the one of a value, in ms; `all` if there is no histogram. */
function countAbove (histogram, milliseconds, all) {
  if (histogram === null) return all
  let count = 0
  for (let index = histogram.countsArrayLength - 1; index >= 0 && histogram.valueFromIndex(index) / 1000 > milliseconds; index--) count += histogram.getCountAtIndex(index)
  return count
}

module.exports = { PERCENTILE, countAbove, decode, percentOf, valueOfRank }
