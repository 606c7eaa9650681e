'use strict'

const Papa = require('papaparse')
const { clean, cleanName } = require('./text')

// Spreadsheets interpret a cell that begins like this as a formula; some of them ignore leading spaces and quotes.
const FORMULA = /^[\s"']*[=+\-@\uff0b\uff0d\uff1d\uff20]/
// Characters that some spreadsheet may interpret as the end of a cell, whatever the separator is.
const SEPARATES = /[",;\t|\r\n]/

/**
 * Returns a line of comma-separated values. Numbers and booleans are written unchanged. Strings come from users and servers, and must
 * remain text: without formulas, line breaks, control characters and secrets.
 *
 * @param {Array<*>} values null, undefined and numbers that aren't finite become empty cells
 * @param {string} separator
 * @param {function(string): string} [tidy] makes a string safe to show
 * @returns {string} with a line feed at the end
 */
function csvLine (values, separator, tidy = clean) {
  const cells = values.map((value) => textOf(value, tidy))
  // A cell that ends with a part of a long separator would shift the boundary: 'a:' before '::'.
  const isQuoted = (text) => SEPARATES.test(text) || [...separator].some((character) => text.includes(character))
  return Papa.unparse([cells], { delimiter: separator, quotes: cells.map(isQuoted) }) + '\n'
}

/** The same for names that the tester chose. */
const csvNames = (names, separator) => csvLine(names, separator, cleanName)

function textOf (value, tidy) {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (typeof value === 'boolean') return String(value)
  const text = tidy(value)
  return FORMULA.test(text) ? `'${text}` : text
}

module.exports = { csvLine, csvNames }
