'use strict'

const { splitText, columnText } = require('../../values/placeholders')
const { isObject } = require('../../values/kinds')

/*
 * `{{column}}` in the texts of a message, at any depth. What a row has goes in as a text, from which a number is read where the
 * field is one.
 */

/** @returns {string[]} names of columns, each as often as it is asked for */
function columnsIn (value) {
  if (typeof value === 'string') return splitText(value).filter((_, index) => index % 2 === 1)
  if (Array.isArray(value)) return value.flatMap(columnsIn)
  return isObject(value) ? Object.values(value).flatMap(columnsIn) : []
}

/** The message for a row. */
function filledFor (row, value) {
  if (typeof value === 'string') return splitText(value).map((piece, index) => index % 2 === 0 ? piece : columnText(row, piece)).join('')
  if (Array.isArray(value)) return value.map((each) => filledFor(row, each))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledFor(row, each)])) : value
}

module.exports = { columnsIn, filledFor }
