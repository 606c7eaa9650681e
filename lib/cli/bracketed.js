'use strict'

const { optionError } = require('../base/errors')
const { readArguments } = require('./arguments')
const { kebab } = require('./shared/names')

/**
 * Returns a function that reads the value of a flag that also accepts flags in brackets: `-W 3s`, or `-W [ -c 1 -d 3 ]`.
 *
 * @param {string} name of the option
 * @param {function(string): *} readText reads a value without brackets
 * @param {object[]} flags that are allowed in the brackets
 * @returns {function(string|string[]): *} takes a string, or the words in the brackets; throws CANNONADE_BAD_OPTION
 */
function readBracketed (name, readText, flags) {
  const form = `[ ${flags.map(({ letter, argument }) => `-${letter} ${argument}`).join(' ')} ]`
  return (value) => {
    if (!Array.isArray(value)) return readText(value)
    const { settings, operands, rest } = readArguments(value, flags, `--${kebab(name)} takes ${form}`)
    if (operands.length + rest.length > 0) throw optionError(name, `[ ${value.join(' ')} ]`, `a number of seconds, or ${form}`)
    return Object.fromEntries(settings.map(({ flag, value }) => [flag.option, flag.read(value)]))
  }
}

module.exports = { readBracketed }
