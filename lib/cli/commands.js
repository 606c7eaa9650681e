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
  ['compare', { summary: 'compare servers, or saved results', load: () => require('./compare').compare }],
  ['sweep', { summary: 'step through request rates, or numbers of users, and find the knee', load: () => require('./sweep').sweep }],
  ['capacity', { summary: 'find the highest rate, or number of users, that meets objectives', load: () => require('./capacity').capacity }],
  ['jamming', { summary: 'find out how many broadcasts a server can carry', load: () => require('./jamming').jamming }],
  ['httperf', { summary: 'emulate httperf, with its flags', load: () => require('../compat/httperf').httperf }],
  ['openapi', { summary: 'run a load test from an OpenAPI document', load: () => require('./openapi').openapi }],
  ['report', { summary: 'show saved results', load: () => require('./report').report }],
  ['serve', { summary: 'start a small test server', load: () => require('./serve').serve }],
  ['agent', { summary: 'run an agent of a fleet', load: () => require('./agent').agent }],
  ['completion', { summary: 'print a completion script for a shell', load: () => require('./completion').completionOf(allCommands) }]
])

const commandNames = [...NAMED.keys()]

// A command is loaded when it is used, since loading all of them takes as long as starting Node.js.
const benchmark = {
  ...unnamed,
  /** What the help of this unnamed command lists. */
  others: [...NAMED].map(([name, { summary }]) => ({ name, summary })),
  commandNamed
}

function commandNamed (name) {
  const { summary, load } = NAMED.get(name)
  return { ...load(), summary }
}

/** The benchmark first. */
function allCommands () {
  return [benchmark, ...commandNames.map(commandNamed)]
}

/**
 * Selects the command: the one that the first word names, or else the benchmark.
 *
 * @param {string[]} argv
 * @param {object} [unnamed] the benchmark under another name
 * @returns {{ command: object, words: string[] }} `words` excludes the name
 */
function chooseCommand (argv, unnamed = benchmark) {
  return NAMED.has(argv[0]) ? { command: commandNamed(argv[0]), words: argv.slice(1) } : { command: unnamed, words: argv }
}

/** Whether a command accepts --config. */
function takesConfig ({ groups }) {
  return groups.some(({ flags }) => flags.includes(configFlag))
}

module.exports = { allCommands, benchmark, chooseCommand, commandNamed, commandNames, takesConfig }
