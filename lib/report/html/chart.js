'use strict'

const { isNumber } = require('../../words/numbers')
const { html } = require('./markup')

const HEIGHT = 300

/** How the series of a chart differ: in colour, and for the seventh and later ones in their lines. */
const COLORS = 6
const LINES = ['solid', 'dashed', 'dotted']

/** Colour and line of the series number `index`. */
function looks (index) {
  return { color: `series-${index % COLORS + 1}`, line: LINES[Math.floor(index / COLORS) % LINES.length] }
}

/**
 * A chart with its table, as part of a page. Drawn in the browser, see browser/; where no script runs there is the table alone.
 *
 * @param {object} figure
 * @param {string} figure.id one word, once in a page
 * @param {string} figure.title
 * @param {string} [figure.note] how to read it
 * @param {string} figure.summary what a person would say who sees it, for one who does not
 * @param {Markup} [figure.table] the same numbers; without one, the numbers stand in the table of another chart
 * @param {string} [figure.tableTitle]
 * @param {object} figure.chart plain data:
 *   - `x`, `y`: `{ scale: 'linear' | 'log' | 'percentile', min, max, label, name?, unit?, isWhole? }`
 *   - `series`: `{ name, color, line, isFilled?, hasPoints?, isHalo?, isMarks?, isJoined?, unit? }`. The first is drawn on top;
 *     a halo is wide and pale, marks are triangles at the bottom for values above zero, joined are values across nulls
 *   - `data`: the x values, and the y values of each series, null where there is none
 *   - `lines`: vertical ones, `{ x, label, color }`; `hollow`: points, `{ x, y, color }`
 *   - `levels`: horizontal ones, `{ y, label, color }`
 *   - `group`: charts of one group have one cursor, and are zoomed together
 *   - `steps`: values hold for a stretch of x; 'before' their own x, or 'after' it. Default: points joined by straight lines
 * @returns {{ markup: Markup, charts: object[] }}
 */
function chartFigure ({ id, title, note, summary, tableTitle, table, chart }) {
  const markup = html`<figure id="${id}"${table ? '' : html` class="bare"`}>
<figcaption>${title}${note ? html`<span class="note">${note}</span>` : ''}</figcaption>
<div class="plot" role="img" aria-label="${summary}"></div>
${table ? html`<details open><summary>${tableTitle}</summary>\n${table}</details>\n` : ''}</figure>
`
  return { markup, charts: [{ id, height: HEIGHT, lines: [], levels: [], hollow: [], ...chart }] }
}

/** Several parts of a page as one, under a heading. */
function section (title, ...parts) {
  const shown = parts.flat().filter(Boolean)
  if (shown.length === 0) return null
  return {
    markup: html`<section><h2>${title}</h2>
${shown.map((part) => part.markup ?? part)}</section>
`,
    charts: shown.flatMap((part) => part.charts ?? [])
  }
}

/** From zero to a little above the largest of some values. */
function linearRange (values) {
  return { min: 0, max: largest(values) * 1.06 || 1 }
}

/** From a round number (1, 2 or 5 times a power of ten) to a round number, with all positive values between them. */
function logRange (values) {
  const positive = values.filter((value) => isNumber(value) && value > 0)
  if (positive.length === 0) return { min: 1, max: 10 }
  const min = roundDown(positive.reduce((a, b) => Math.min(a, b)))
  const max = roundUp(largest(positive))
  return max > min ? { min, max } : { min, max: min * 10 }
}

function largest (values) {
  return values.reduce((max, value) => isNumber(value) && value > max ? value : max, 0)
}

const STEPS = [1, 2, 5, 10]

function roundDown (value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return Number((STEPS.findLast((step) => step * power <= value * (1 + 1e-9)) * power).toPrecision(1))
}

function roundUp (value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return Number((STEPS.find((step) => step * power >= value * (1 - 1e-9)) * power).toPrecision(1))
}

const WORTH_A_LOG_AXIS = 30

/**
 * The axis of some durations: logarithmic where the longest would press one of the lines flat.
 *
 * @param {Array<Array<?number>>} lines the values of each, ms
 * @param {string} label
 */
function durationAxis (lines, label) {
  const values = lines.flat()
  const isLog = Math.min(...lines.map(typicalOf)) * WORTH_A_LOG_AXIS < largest(values)
  return isLog
    ? { scale: 'log', ...logRange(values), label: `${label} (ms, logarithmic)`, unit: 'ms' }
    : { scale: 'linear', ...linearRange(values), label: `${label} (ms)`, unit: 'ms' }
}

function typicalOf (values) {
  const positive = values.filter((value) => isNumber(value) && value > 0).sort((a, b) => a - b)
  return positive[Math.floor(positive.length / 2)] ?? Infinity
}

module.exports = { chartFigure, durationAxis, linearRange, logRange, looks, section }
