'use strict'

const { benchmark: unnamed } = require('./benchmark')
const { configFlag } = require('./config')

/**
 * The commands that have a name. Each is one of these objects:
 *
 * - `name`, `call` (how a person calls it), `usage`, `summary`
 * - `about`, `groups` (of flags, see benchmark-flags.js), `defaultOf(flag)`, `notes`, `examples`: the help
 * - `startsServer`: a command to start may follow `--`
 * - `helpGoesToStderr`
 * - `optionsFrom(settings, operands, rest, config)`: the options from the command line, over those of a config file; throws
 *   CANNONADE_BAD_OPTION
 * - `read(argv)`: instead, for a command line of another kind: the options, or undefined where there was only something to read
 * - `run(options)`: does it, and returns a promise of the end
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
  ['agent', () => require('./agent').agent]
])

// Each is loaded when it is called, or listed: to load them all takes as long as to start Node.js.
const benchmark = {
  ...unnamed,

  /** The command without a name. Its help lists the others. */
  get others () {
    return [...NAMED.values()].map((load) => load())
  }
}

/**
 * The command that a command line is for: a named one, where its first word is that name, or else the benchmark.
 *
 * @param {string[]} argv
 * @param {object} [unnamed] the benchmark under another name
 * @returns {{ command: object, words: string[] }} the words without the name
 */
function chooseCommand (argv, unnamed = benchmark) {
  const load = NAMED.get(argv[0])
  return load === undefined ? { command: unnamed, words: argv } : { command: load(), words: argv.slice(1) }
}

/** The command of a name. @param {string} name */
function commandNamed (name) {
  return NAMED.get(name)()
}

/** Whether a command takes options from a file. */
function takesConfig ({ groups }) {
  return groups.some(({ flags }) => flags.includes(configFlag))
}

module.exports = { benchmark, chooseCommand, commandNamed, commandNames: [...NAMED.keys()], takesConfig }
