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

// The number of pairs grows with the square of the points: with 300 points there are 45,000, with a day's samples billions.
const MOST_POINTS = 300

/**
 * The slope of points: the median of the slopes of all pairs (Theil and Sen). It is robust against a few outliers, such as those of a
 * stalled machine. If there are many points, it uses some hundreds of them, evenly distributed.
 *
 * @param {Array<[number, number]>} points
 * @returns {number} NaN for fewer than two points
 */
function slope (points) {
  const looked = thinned(points)
  const slopes = []
  looked.forEach(([x, y], index) => {
    for (const [laterX, laterY] of looked.slice(index + 1)) slopes.push((laterY - y) / (laterX - x))
  })
  return slopes.length === 0 ? NaN : median(slopes)
}

// The first and the last point are always included.
function thinned (points) {
  if (points.length <= MOST_POINTS) return points
  const step = (points.length - 1) / (MOST_POINTS - 1)
  return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.round(index * step)])
}

module.exports = { mean, median, slope, varianceOfMean }
