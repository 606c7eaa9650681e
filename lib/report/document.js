'use strict'

const numbers = require('../words/numbers')

/*
 * A report is a document: what it says, made once, whoever shows it. The terminal (study.js) and the page (html/study-page.js) are two
 * ways to show one.
 *
 * - `title`, `kind`: of the page; `words`: terms that it explains at its end
 * - `heading`: the lines above all else on a terminal; `lead`: `{ urls, facts }`, which stand there on the page
 * - `answer`: what it comes to; `checks`: whether it is as it was asked to be; `remarks`: what else is to be said; each as sentences. The
 *   page has remarks, and checks that were passed, in its sections
 * - `warnings`: sentences
 * - `figures`: `{ name, value, unit, more }`, large numbers of the page
 * - `sections`: `{ title, parts }`, each part `{ table }`, `{ chart }` or `{ list }`
 * - `conditions`: `[name, text]`; `options` of the runs, as `studyOptions` takes them
 *
 * A table is `{ caption, isCaptionSeen, columns, rows }`, a row an array of cells. A column is `{ name, of }` and may say how it is
 * called on the terminal (`short`, and `brief` where there is little room), and that it is `only` for the 'page' or the 'terminal'.
 * A cell is what `of` says ('rate', 'count', 'percent' or 'time', in ms), a text, or `{ value, isBound, isBad, brief, className }`.
 *
 * A chart is what `chartFigure` draws (html/chart.js).
 */

const SHOW = { rate: numbers.rate, count: numbers.count, percent: numbers.percent, time: numbers.time }

const isCell = (given) => given !== null && typeof given === 'object'

/** A cell as its parts, whatever form it has. @returns {{ value: *, isBound?: boolean, isBad?: boolean, brief?: string, className?: string }} */
function partsOf (given) {
  return isCell(given) ? given : { value: given }
}

/**
 * A cell in words.
 *
 * @param {*} given
 * @param {string} [of] of its column
 * @param {function(number): string} [show] how its column is written, where all of it is written in one way
 */
function inWords (given, of, show = SHOW[of]) {
  const { value, isBound = false } = partsOf(given)
  if (show === undefined || typeof value === 'string') return value ?? ''
  return numbers.atLeast(show(value), isBound && numbers.isNumber(value))
}

/** A time of a point of a study, with a sign where it is only a lower bound. */
function bounded (point, name, value = point[name]) {
  return { value, isBound: point.atLeast?.includes(name) === true }
}

/** How many went wrong. */
const bad = (value) => ({ value, isBad: value > 0 })

/** A judgement, which a page has in colour: 'pass', 'unsure' or 'fail'. */
const verdict = (text, className = '') => ({ value: text, className: `verdict ${className}`.trim() })

const note = (text) => ({ severity: 'note', text })
const warning = (text) => ({ severity: 'warning', text })
const error = (text) => ({ severity: 'error', text })

/** The warnings of a study, as sentences. */
function warningsOf ({ warnings }) {
  return (warnings ?? []).filter(({ message }) => message).map(({ message }) => warning(`Warning: ${message}`))
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** What the first, second, … of several servers is called where its name would take too much room. @param {number} index from 0 */
const letter = (index) => LETTERS[index] ?? `#${index + 1}`

module.exports = { bad, bounded, error, inWords, letter, note, partsOf, verdict, warning, warningsOf }
