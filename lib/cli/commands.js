'use strict'

const { benchmark: unnamed } = require('./benchmark')
const { capacity } = require('./capacity')
const { compare } = require('./compare')
const { report } = require('./report')
const { serve } = require('./serve')
const { sweep } = require('./sweep')

/**
 * The commands that have a name. Each is one of these objects:
 *
 * - `name`, `call` (how a person calls it), `usage`, `summary`
 * - `about`, `groups` (of flags, see benchmark-flags.js), `defaultOf(flag)`, `notes`, `examples`: the help
 * - `startsServer`: a command to start may follow `--`
 * - `optionsFrom(settings, operands, rest)`: the options from the command line; throws CANNONADE_BAD_OPTION
 * - `run(options)`: does it, and returns a promise of the end
 */
const named = [compare, sweep, capacity, report, serve]

/** The command without a name. Its help lists the others. */
const benchmark = { ...unnamed, others: named }

/**
 * The command that a command line is for: a named one, where its first word is that name, or else the benchmark.
 *
 * @param {string[]} argv
 * @returns {{ command: object, words: string[] }} the words without the name
 */
function chooseCommand (argv) {
  const command = named.find(({ name }) => name === argv[0])
  return command === undefined ? { command: benchmark, words: argv } : { command, words: argv.slice(1) }
}

module.exports = { benchmark, chooseCommand }
