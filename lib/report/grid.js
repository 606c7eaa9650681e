'use strict'

const Table = require('cli-table3')

// Matches horizontal rules of the table, as opposed to lines of cells.
const RULE = /^[┌├└].*$/gm

/**
 * Draws cells in a grid; each column is as wide as its widest cell.
 *
 * @param {string[][]} rows all of the same length; a cell is one line, and may contain colour codes
 * @param {object} [style]
 * @param {boolean} [style.tight] without a space after a cell
 * @param {function(string): string} [style.paint] colours the lines
 * @returns {string} lines, without a final newline
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
