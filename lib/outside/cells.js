'use strict'

const { clean } = require('./text')

// A spreadsheet takes a cell that begins like this for a formula; some of them look past spaces and quotes.
const FORMULA = /^[\s"']*[=+\-@\uff0b\uff0d\uff1d\uff20]/
// What any spreadsheet may take for the end of a cell, whatever separator was meant.
const SEPARATES = /[",;\t|\r\n]/

/**
 * A line of comma-separated values. Numbers and truths are written as they are; texts are those of people and servers,
 * and stay texts: no formula, no line break, no control character, no secret.
 *
 * @param {Array<*>} values null, undefined and what is no finite number are empty cells
 * @param {string} separator
 * @returns {string} ended by a line feed
 */
function csvLine (values, separator) {
  return values.map((value) => cell(value, separator)).join(separator) + '\n'
}

function cell (value, separator) {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? quoted(String(value), separator) : ''
  if (typeof value === 'boolean') return String(value)
  const text = clean(value)
  return quoted(FORMULA.test(text) ? `'${text}` : text, separator)
}

function quoted (text, separator) {
  return text.includes(separator) || SEPARATES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

module.exports = { csvLine }
