'use strict'

function mean (values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The variance of the mean of independent values; NaN for fewer than two. */
function varianceOfMean (values) {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1) / values.length
}

function median (values) {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

module.exports = { mean, median, varianceOfMean }
