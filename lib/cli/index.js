'use strict'

const { optionProblem } = require('../base/errors')
const { draftPlan } = require('../plan')
const { fillIn } = require('../plan/given')
const { shownBy } = require('../report/shown')
const { benchmark, chooseCommand, commandNamed, commandNames, takesConfig } = require('./commands')
const { readConfig, readConfigNow } = require('./config')
const { printFailure } = require('./failure')
const { endOf, startRun } = require('./start-run')
const { checkFirstWord, checkHosts } = require('./mistaken-words')
const { readCommand, remember, wordingFor } = require('./read-command')
const { AUTOCANNON } = require('./shared/version')

/**
 * Returns the options for `run` from the arguments of a command line: `url` is a string or an array, `headers` an object, `tlsOptions`
 * has the contents of the files, `warmup` comes from its sub-arguments. Defaults that programs read are filled in. There are also
 * options of the command itself, for `start`: `json`, `renderProgressBar`, `renderLatencyTable`, `renderStatusCodes`, `verbose`,
 * `onPort`, and `spawn` (the arguments after `--`).
 *
 * @param {Array<string|number>} argv without the program's name: `process.argv.slice(2)`
 * @returns {object|undefined} undefined if it printed something instead: the help, the version, or the usage on stderr because there
 *   is no URL
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function parseArguments (argv) {
  const words = argv.map(String)
  try {
    const config = readConfigNow(words)
    checkForRun(config)
    const options = readCommand(benchmark, words, config)
    return options && remember(filledIn(options), wordingFor(options))
  } catch (error) {
    if (!error.isUsageNeeded) throw error
    printUsage(benchmark)
  }
}

function checkForRun (config) {
  if (config === null || config.command === undefined) return
  throw optionProblem('config', `the config file '${config.file}' is for cannonade ${config.command}, not for a run`)
}

// Options whose defaults programs read, to use or display them.
const READ_BY_PROGRAMS = [
  'connections', 'timeout', 'pipelining', 'duration', 'sampleInt', 'method', 'forever', 'idReplacement', 'excludeErrorStats', 'debug'
]
const { renderResultsTable, ...SHOWN_OR_NOT } = shownBy({})
const OF_THE_COMMAND = { json: false, ...SHOWN_OR_NOT, verbose: true }

function defaultsFor (options) {
  const { opts: filled } = draftPlan(options)
  const ofRun = Object.fromEntries(READ_BY_PROGRAMS.map((name) => [name, filled[name]]))
  return { ...ofRun, reconnectRate: 0, workers: 0, ...OF_THE_COMMAND }
}

// autocannon's -n turns the tables off, and programs check `renderResultsTable` to decide whether to print. The command
// itself still prints the summary.
function filledIn (options) {
  const isQuiet = wordingFor(options).settings.some(({ spelling, value }) => spelling === '-n' && value === false)
  if (!isQuiet) return fillIn(options, defaultsFor(options))
  const { renderStatusCodes, ...others } = options
  return fillIn(others, { ...defaultsFor(options), renderResultsTable: false })
}

/**
 * Does what the command does with the options of `parseArguments`: executes the run, shows progress on stderr, and the result on
 * stderr (on stdout if it is redirected to a file or a pipe) or as JSON on stdout, and ends the run on Ctrl-C, SIGTERM and SIGHUP. An
 * error is one line on stderr, and sets `process.exitCode`.
 *
 * @param {object} [options] without it, nothing is done
 * @returns {Run|Promise<object>|undefined} the return value of `run`; if `spawn` must be started first, a promise of the result
 */
function start (options) {
  if (options === undefined || options === null) return
  const instance = startRun(options)
  endOf(instance).catch((error) => exitAfter(error, options))
  return instance
}

// The exit code of a signal stays.
function exitAfter (error, options) {
  const failed = printFailure(error, wordingFor(options))
  process.exitCode ||= failed
}

/**
 * Executes a command line and exits the process.
 *
 * @param {string[]} argv
 * @param {string} [name] the name that the command was called by
 */
async function main (argv, name) {
  guardOutput()
  if (argv.some(holdsSecret)) process.title = 'cannonade'
  await executeCommand(argv, name)
  await outputWritten()
  // Exits explicitly, since a timer or connection that a hook left open would keep the process alive.
  process.exit()
}

// Whether an argument may contain a secret (a fleet key or a password), which other users of the machine could see.
function holdsSecret (word) {
  return /^--(fleet-?key|key)(=|$)/i.test(word) || /\brediss?:\/\/[^/]*@/i.test(word)
}

/**
 * Executes a command line and leaves the process alive. An exit code other than 0 is in `process.exitCode`.
 *
 * @param {string[]} argv
 * @param {string} [name] the name the command was called by
 */
async function executeCommand (argv, name) {
  const unnamed = name === AUTOCANNON ? require('../compat/as-autocannon').asAutocannon(benchmark) : benchmark
  let { command, words } = chooseCommand(argv, unnamed)
  let options
  try {
    if (command === unnamed) await checkFirstWord(words[0], commandNames)
    const config = takesConfig(command) ? await readConfig(words) : null
    if (command === unnamed && config?.command !== undefined) command = commandNamed(config.command)
    options = readCommand(command, words, config)
    if (command === unnamed) await checkHosts(options?.url, commandNames)
    if (options !== undefined) await command.run(options)
  } catch (error) {
    if (error?.isUsageNeeded) printUsage(command)
    exitAfter(error, options)
  }
}

function printUsage (command) {
  const { usageText } = require('./shared/help')
  process.stderr.write(usageText(command) + '\n')
}

/**
 * Ignores write errors that occur because the reader of the output has gone away (`| head`, a closed terminal). Any other
 * write error, such as a full disk, is reported and sets the exit code to 1.
 */
function guardOutput () {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY)) return
      process.exitCode = 1
      if (stream !== process.stderr) printFailure(error)
    })
  }
}

/** Resolves when everything written so far has been flushed or has failed. */
async function outputWritten () {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve))
  }
}

module.exports = { main, parseArguments, executeCommand, start }
