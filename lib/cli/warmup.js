'use strict'

const { optionError } = require('../base/errors')
const { readArguments } = require('./arguments')
const { number, connections } = require('./values')

/** What a warm-up has of its own. The run itself has the same two. */
const warmupFlags = Object.freeze({
  connections: {
    letter: 'c',
    name: 'connections',
    argument: 'NUM',
    read: connections,
    help: 'connections at a time; FROM..TO/SEC adds them little by little, such as 10..100/30s'
  },
  duration: {
    letter: 'd',
    name: 'duration',
    argument: 'SEC',
    read: number,
    help: 'how long to run (default 10, or as long as --stages)'
  }
})

/**
 * The warm-up from its place on the command line: `3s`, or `[ -c 1 -d 3 ]`.
 *
 * @param {string|string[]} value a text, or the words in the brackets
 * @returns {number|string|object} as the option takes it
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function warmup (value) {
  if (!Array.isArray(value)) return number(value)
  const form = '[ -c NUM -d SEC ]'
  const { settings, operands, rest } = readArguments(value, Object.values(warmupFlags), `a warm-up is given as ${form}`)
  if (operands.length + rest.length > 0) throw optionError('warmup', `[ ${value.join(' ')} ]`, `a number of seconds, or ${form}`)
  return Object.fromEntries(settings.map(({ flag, value }) => [flag.name, flag.read(value)]))
}

module.exports = { warmup, warmupFlags }
