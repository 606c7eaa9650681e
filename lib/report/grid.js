'use strict'

const Table = require('cli-table3')

// A rule of the table: what begins so is no line of cells.
const RULE = /^[┌├└].*$/gm

/**
 * Cells in a grid of lines, each column as wide as its widest cell.
 *
 * @param {string[][]} rows as long as the first one; a cell is one line, and may have colours in it
 * @param {object} [style]
 * @param {boolean} [style.tight] without a space behind a cell
 * @param {function(string): string} [style.paint] colours the lines
 * @returns {string} lines, the last one not ended
 */
function grid (rows, { tight = false, paint = (line) => line } = {}) {
  const side = paint('│')
  const table = new Table({
    chars: { left: side, middle: side, right: side },
    style: { head: [], border: [], 'padding-right': tight ? 0 : 1 }
  })
  table.push(...rows.map((row) => rows[0].map((_, column) => row[column] ?? '')))
  return table.toString().replace(RULE, (rule) => paint(rule))
}

module.exports = grid
