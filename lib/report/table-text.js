'use strict'

const { counted } = require('../words/numbers')
const { inWords, partsOf } = require('./document')
const { widthOf } = require('./text')
const Table = require('cli-table3')

// Beside each cell: a space on both sides, and the border on its right.
const SPACE_AND_BORDER = 3

const STEPS = [{}, { tight: true }, { tight: true, isBrief: true }]

/**
 * Renders a table of a document (document.js) for a terminal. If it is too wide, columns are omitted in the order of
 * their `gives` (1, then 2 …).
 *
 * @param {object} table
 * @param {{ width: number, colors: object }} style
 * @param {number} [most] rows; a line reports how many were omitted
 * @returns {string} lines; empty if there are no rows
 */
function tableText ({ columns, rows, others = 'row' }, style, most = Infinity) {
  if (rows.length === 0) return ''
  const shown = columns.map((column, index) => ({ ...column, index })).filter(({ only }) => only !== 'page')
  const gives = [...new Set(shown.map(({ gives = 0 }) => gives).filter((place) => place > 0))].sort()
  const steps = [...STEPS, ...gives.map((without) => ({ tight: true, isBrief: true, without }))]
  const text = fit(steps, style, ({ isBrief, without = 0 }) => {
    const kept = shown.filter(({ gives = Infinity }) => gives > without)
    return {
      head: kept.map(({ name, short = name, brief = short }) => isBrief ? brief : short),
      rows: rows.slice(0, most).map((cells) => kept.map(({ of, index }) => (isBrief && partsOf(cells[index]).brief) || inWords(cells[index], of)))
    }
  })
  return rows.length > most ? `${text}\nand ${counted(rows.length - most, `other ${others}`)}: see the JSON result.` : text
}

/**
 * Renders a table with the first of several increasingly compact steps that makes it fit.
 *
 * @param {object[]} steps `tight`: without the space before the right border of a cell. Other properties are for
 *   `contentFor`
 * @param {{ width: number, colors: object }} style
 * @param {function(object): { head: string[], rows: string[][] }} contentFor the content of a step
 * @returns {string} lines, none wider than `width` if one of the steps fits
 */
function fit (steps, style, contentFor) {
  return fitted(steps, style, contentFor).text
}

/** Like `fit`, but also returns the step that was used. */
function fitted (steps, { width, colors }, contentFor) {
  const step = steps.find((step) => tableWidth(contentFor(step), step) <= width) ?? steps.at(-1)
  return { text: draw(contentFor(step), step, colors), step }
}

// How wide the table is that `draw` draws, which takes many times longer.
function tableWidth ({ head, rows }, { tight }) {
  const widths = head.map((name, column) => Math.max(widthOf(name), ...rows.map((cells) => widthOf(cells[column] ?? ''))))
  return widths.reduce((sum, width) => sum + width + (tight ? SPACE_AND_BORDER - 1 : SPACE_AND_BORDER), 1)
}

function draw ({ head, rows }, { tight }, colors) {
  const painted = rows.map(([label, ...cells]) => [colors.bold(label), ...cells])
  return grid([head.map(colors.cyan), ...painted], { tight, paint: colors.gray })
}

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

module.exports = { draw, fit, fitted, grid, tableText }
