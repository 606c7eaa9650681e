'use strict'

const { parseArgs } = require('node:util')

/**
 * Reads the options of a benchmark whose options are numbers.
 *
 * @param {string[]} args the arguments after the benchmark's name
 * @param {Record<string, { least: number, most?: number, isWhole?: boolean, otherwise: number }>} numbers what is allowed, and the default
 * @param {string[]} [texts] names of options that may be anything
 * @returns {object} values by name, and `help`
 * @throws {Error} with a sentence for the user if an argument is invalid
 */
function parseNumbers (args, numbers, texts = []) {
  const names = [...Object.keys(numbers), ...texts]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean' } } })
  for (const name of Object.keys(numbers)) values[name] = readNumber(name, values[name], numbers[name])
  return values
}

function readNumber (name, text, { least, most = Infinity, isWhole = false, otherwise }) {
  const value = text === undefined ? otherwise : Number(text)
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value
  const range = most === Infinity ? `, ${least} or more` : ` from ${least} to ${most}`
  throw new Error(`--${name} must be a ${isWhole ? 'whole ' : ''}number${range}, not "${text}"`)
}

module.exports = { parseNumbers, readNumber }
