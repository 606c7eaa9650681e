'use strict'

const Papa = require('papaparse')
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
  const cells = values.map(textOf)
  return Papa.unparse([cells], { delimiter: separator, quotes: cells.map((text) => SEPARATES.test(text)) }) + '\n'
}

function textOf (value) {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (typeof value === 'boolean') return String(value)
  const text = clean(value)
  return FORMULA.test(text) ? `'${text}` : text
}

module.exports = { csvLine }
