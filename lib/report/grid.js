'use strict'

const { widthOf, withoutEscapes } = require('./text')

const TOP = ['┌', '┬', '┐']
const BETWEEN = ['├', '┼', '┤']
const BOTTOM = ['└', '┴', '┘']

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
  const cells = rows.map((row) => rows[0].map((_, column) => ` ${row[column] ?? ''}${tight ? '' : ' '}`))
  const widths = rows[0].map((_, column) => Math.max(...cells.map((row) => shownWidth(row[column]))))
  const rule = ([left, middle, right]) => paint(left + widths.map((width) => '─'.repeat(width)).join(middle) + right)
  const lines = cells.map((row) => {
    const padded = row.map((cell, column) => cell + ' '.repeat(widths[column] - shownWidth(cell)))
    return ['', ...padded, ''].join(paint('│'))
  })
  return [rule(TOP), ...lines.flatMap((line, index) => index === 0 ? [line] : [rule(BETWEEN), line]), rule(BOTTOM)].join('\n')
}

const shownWidth = (cell) => widthOf(withoutEscapes(cell))

module.exports = grid
