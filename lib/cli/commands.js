'use strict'

const { benchmark: unnamed } = require('./benchmark')
const { configFlag } = require('./config')

/**
 * The named commands. Each is an object with these properties:
 *
 * - `name`, `call` (what a user types), `usage`, `summary`
 * - `about`, `groups` (of flags, see benchmark-flags.js), `defaultOf(flag)`, `notes`, `examples`: the help
 * - `startsServer`: a command that starts a server may follow `--`
 * - `helpGoesToStderr`
 * - `whyNot(spelling)`: why a flag of the benchmark cannot be given here; null if it has no such flag
 * - `optionsFrom(settings, operands, rest, config)`: returns the options from the command line, which override those of a
 *   config file; throws CANNONADE_BAD_OPTION
 * - `read(argv)`: used instead, if the command has its own syntax; returns the options, or undefined if it only printed
 *   information
 * - `run(options)`: executes the command and returns a promise that resolves when it ends
 */
const NAMED = new Map([
  ['compare', () => require('./compare').compare],
  ['sweep', () => require('./sweep').sweep],
  ['capacity', () => require('./capacity').capacity],
  ['jamming', () => require('./jamming').jamming],
  ['httperf', () => require('../compat/httperf').httperf],
  ['openapi', () => require('./openapi').openapi],
  ['report', () => require('./report').report],
  ['serve', () => require('./serve').serve],
  ['agent', () => require('./agent').agent],
  ['completion', () => require('./completion').completionOf(() => [benchmark, ...benchmark.others])]
])

// A command is loaded when it is used or listed, since loading all of them takes as long as starting Node.js.
const benchmark = {
  ...unnamed,

  /** The other commands. The help of this unnamed command lists them. */
  get others () {
    return [...NAMED.values()].map((load) => load())
  }
}

/**
 * Selects the command: the one that the first word names, or else the benchmark.
 *
 * @param {string[]} argv
 * @param {object} [unnamed] the benchmark under another name
 * @returns {{ command: object, words: string[] }} `words` excludes the name
 */
function chooseCommand (argv, unnamed = benchmark) {
  const load = NAMED.get(argv[0])
  return load === undefined ? { command: unnamed, words: argv } : { command: load(), words: argv.slice(1) }
}

function commandNamed (name) {
  return NAMED.get(name)()
}

/** Whether a command accepts --config. */
function takesConfig ({ groups }) {
  return groups.some(({ flags }) => flags.includes(configFlag))
}

module.exports = { benchmark, chooseCommand, commandNamed, commandNames: [...NAMED.keys()], takesConfig }
