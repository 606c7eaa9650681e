'use strict'

const { splitText, columnText } = require('../../values/placeholders')
const { isObject } = require('../../values/kinds')

/*
 * Replaces `{{column}}` in the strings of a message, at any depth. A row's value is inserted as text; if the field is
 * numeric, the text is parsed as a number later.
 */

/** @returns {string[]} names of columns, with duplicates */
function columnsIn (value) {
  if (typeof value === 'string') return splitText(value).filter((_, index) => index % 2 === 1)
  if (Array.isArray(value)) return value.flatMap(columnsIn)
  return isObject(value) ? Object.values(value).flatMap(columnsIn) : []
}

/** Returns the message with a row's values filled in. */
function filledFor (row, value) {
  if (typeof value === 'string') return splitText(value).map((piece, index) => index % 2 === 0 ? piece : columnText(row, piece)).join('')
  if (Array.isArray(value)) return value.map((each) => filledFor(row, each))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledFor(row, each)])) : value
}

module.exports = { columnsIn, filledFor }
