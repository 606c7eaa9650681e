'use strict'

const { median } = require('./summaries')

// Pairs grow with the square of the points: of these many there are 45,000, of a day's samples there would be billions.
const MOST_POINTS = 300

/**
 * How steeply points rise: the median of the slopes of all pairs (Theil and Sen). A few points that lie elsewhere, because
 * a machine stood still for a moment, do not move it. Of many points some hundreds are looked at, evenly among all.
 *
 * @param {Array<[number, number]>} points
 * @returns {number} NaN of fewer than two
 */
function slope (points) {
  const looked = thinned(points)
  const slopes = []
  looked.forEach(([x, y], index) => {
    for (const [laterX, laterY] of looked.slice(index + 1)) slopes.push((laterY - y) / (laterX - x))
  })
  return slopes.length === 0 ? NaN : median(slopes)
}

// The first and the last are always among them.
function thinned (points) {
  if (points.length <= MOST_POINTS) return points
  const step = (points.length - 1) / (MOST_POINTS - 1)
  return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.round(index * step)])
}

module.exports = { slope }
