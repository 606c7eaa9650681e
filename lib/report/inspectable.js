'use strict'

const { inspect, stripVTControlCharacters } = require('node:util')

const WIDTH = 80
const ALL_FIELDS = 'All fields: console.dir(result, { depth: null })'

/**
 * Makes `console.log(result)` and `util.inspect` show a result as `printResult` does, instead of hundreds of fields. Within another
 * object only its first line is shown. Nothing else sees the property.
 *
 * @param {object} result of a run or of a study
 * @returns {object} the same
 */
function inspectable (result) {
  return Object.defineProperty(result, inspect.custom, { value: shown, configurable: true, writable: true })
}

function shown (depth, options) {
  const isWithin = options.depth !== null && depth < options.depth
  let text
  try {
    // Loaded when it is used, since few programs print a result this way.
    text = require('./print-result')(this, { outputStream: { isTTY: true, columns: WIDTH }, verbose: !isWithin }).trim()
  } catch {
    // The program has changed it so that it is no result any more.
    return inspect(this, { ...options, customInspect: false })
  }
  const all = isWithin ? `[${text.split('\n')[0]}]` : `${text}\n\n${ALL_FIELDS}`
  return options.colors ? all : stripVTControlCharacters(all)
}

module.exports = inspectable
