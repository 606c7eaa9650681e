'use strict'

const { counted } = require('../words/numbers')
const { inWords, partsOf } = require('./document')
const grid = require('./grid')

const STEPS = [{}, { tight: true }, { tight: true, isBrief: true }]

/**
 * A table of a document (document.js) as lines of a terminal. Where there is no room it gives up columns, the first those that say
 * so (`gives: 1`, then 2 …).
 *
 * @param {object} table
 * @param {{ width: number, colors: object }} style
 * @param {number} [most] rows; what is left out is told in a line
 * @returns {string} lines, an empty text where there are no rows
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
 * A table as lines, with the first of some steps of giving up that makes it fit.
 *
 * @param {object[]} steps `tight`: without the space before the right border of a cell. What else is in a step is for
 *   `contentFor`
 * @param {{ width: number, colors: object }} style
 * @param {function(object): { head: string[], rows: string[][] }} contentFor the content of a step
 * @returns {string} lines, none wider than `width` where one of the steps comes to that
 */
function fit (steps, style, contentFor) {
  return fitted(steps, style, contentFor).text
}

/** The same, with the step that it took. */
function fitted (steps, { width, colors }, contentFor) {
  const fits = (step) => draw(contentFor(step), step).indexOf('\n') <= width
  const step = steps.find(fits) ?? steps.at(-1)
  return { text: draw(contentFor(step), step, colors), step }
}

function draw ({ head, rows }, { tight }, colors) {
  if (!colors) return grid([head, ...rows], { tight })
  const painted = rows.map(([label, ...cells]) => [colors.bold(label), ...cells])
  return grid([head.map(colors.cyan), ...painted], { tight, paint: colors.gray })
}

module.exports = { draw, fit, fitted, tableText }
