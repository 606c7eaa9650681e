'use strict'

const numbers = require('../words/numbers')

/*
 * A document is the content of a report, independent of how it is rendered: on the terminal (study.js) or as a page
 * (html/document-page.js). Studies (study/) and runs (run/) become documents.
 *
 * - `title`, `kind`: of the page; `words`: terms that the page explains at its end
 * - `heading`: the first lines on a terminal; `lead`: `{ urls, facts }`, the counterpart on the page
 * - `answer`: the conclusion; `checks`: whether requirements were met; `remarks`: further notes; all as sentences. The
 *   page shows remarks, and checks that passed, in its sections
 * - `warnings`: sentences
 * - `figures`: `{ name, value, unit, more, isBad }`, the large numbers on the page; `opening`: a section instead of them
 * - `sections`: `{ title, parts }`, each part `{ table }`, `{ chart }`, `{ flame }` or `{ list }`, or null
 * - `conditions`: tables, see conditions.js
 *
 * A table is `{ caption, isCaptionSeen, note, columns, rows }`; a row is an array of cells. A page folds a long table that
 * has a name for it: `folded`. A column is `{ name, of }`; it
 * may have names for the terminal (`short`, and `brief` for narrow ones), and may be `only` for the 'page' or the
 * 'terminal'. A cell is a number whose kind `of` defines ('rate', 'count', 'percent' or 'time', in ms), a text ('figure'
 * if it is a number in words), or `{ value, isBound, isBad, brief, className, detail, isCode, look }`. `look` draws the
 * line of a chart before a name. The value of a 'bar' is `{ part, whole, isBad }`.
 *
 * A chart is what `chartFigure` draws, a flame graph what `flameFigure` draws (html/chart.js).
 */

const SHOW = { rate: numbers.rate, count: numbers.count, percent: numbers.percent, time: numbers.time }

const isCell = (given) => given !== null && typeof given === 'object'

/**
 * Returns the parts of a cell in any form. @returns {{ value: *, isBound?: boolean, isBad?: boolean, brief?: string,
 * className?: string }}
 */
function partsOf (given) {
  return isCell(given) ? given : { value: given }
}

/**
 * Formats a cell as text.
 *
 * @param {*} given
 * @param {string} [of] of its column
 * @param {function(number): string} [show] formats the whole column, if its cells share one notation
 */
function inWords (given, of, show = SHOW[of]) {
  const { value, isBound = false } = partsOf(given)
  if (show === undefined || typeof value === 'string') return value ?? ''
  return numbers.atLeast(show(value), isBound && numbers.isNumber(value))
}

/** Returns a time of a point of a study as a cell, marked if it is only a lower bound. */
function bounded (point, name, value = point[name]) {
  return { value, isBound: point.atLeast?.includes(name) === true }
}

/** Returns a cell for a number of failures. */
const bad = (value) => ({ value, isBad: value > 0 })

/** Returns a cell for a verdict, which pages show in colour. The class name is 'pass', 'unsure' or 'fail'. */
const verdict = (text, className = '') => ({ value: text, className: `verdict ${className}`.trim() })

/** Returns columns of numbers in words. @param {string[]} names */
const inFigures = (names) => names.map((name) => ({ name, of: 'figure' }))

/** Returns columns of text. @param {string[]} names */
const inTexts = (names) => names.map((name) => ({ name }))

/** Returns a cell with the name of a run, or of anything else whose names may be long. */
const long = (value, more) => ({ value, className: 'long', ...more })

const note = (text) => ({ severity: 'note', text })
const warning = (text) => ({ severity: 'warning', text })
const error = (text) => ({ severity: 'error', text })

/** Returns the warnings of a study as sentences. */
function warningsOf ({ warnings }) {
  return (warnings ?? []).filter(({ message }) => message).map(({ message }) => warning(`Warning: ${message}`))
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Returns the letter of a server, used where its name would be too long. @param {number} index from 0 */
const letter = (index) => LETTERS[index] ?? `#${index + 1}`

module.exports = { bad, bounded, error, inFigures, inTexts, inWords, letter, long, note, partsOf, verdict, warning, warningsOf }
