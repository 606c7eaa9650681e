'use strict'

const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * Draws values as bars in terminal columns, with the newest on the right.
 *
 * @param {Array<?number>} values null for missing values
 * @param {object} size
 * @param {number} size.width columns; if there are more values, only the last ones are shown
 * @param {number} size.height lines
 * @returns {string[]} lines from top to bottom, none wider than `width`. The largest value shown fills the height, and
 *   every value above zero is visible
 */
function sparkline (values, { width, height }) {
  const shown = width > 0 ? values.slice(-width) : []
  const largest = shown.reduce((max, value) => Math.max(max, value ?? 0), 0)
  const eighths = shown.map((value) => value > 0 ? Math.max(1, Math.round(value / largest * height * 8)) : 0)
  return Array.from({ length: height }, (_, line) => {
    const below = (height - 1 - line) * 8
    return eighths.map((amount) => EIGHTHS[Math.min(8, Math.max(0, amount - below))] || ' ').join('')
  })
}

module.exports = sparkline
