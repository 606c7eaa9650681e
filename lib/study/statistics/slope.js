'use strict'

const { median } = require('./summaries')

/**
 * How steeply points rise: the median of the slopes of all pairs (Theil and Sen). A few points that lie elsewhere, because
 * a machine stood still for a moment, do not move it.
 *
 * @param {Array<[number, number]>} points
 * @returns {number} NaN of fewer than two
 */
function slope (points) {
  const slopes = []
  points.forEach(([x, y], index) => {
    for (const [laterX, laterY] of points.slice(index + 1)) slopes.push((laterY - y) / (laterX - x))
  })
  return slopes.length === 0 ? NaN : median(slopes)
}

module.exports = { slope }
