'use strict'

const { CannonadeError, optionProblem, show } = require('../base/errors')
const { readArguments } = require('./arguments')
const { helpText } = require('./shared/help')
const FlagWording = require('./flag-wording')
const { versionText } = require('./shared/version')

/**
 * The options that a command line gives to a command. A request for the help or the version is answered here, on stdout.
 *
 * @param {object} command one of commands.js
 * @param {string[]} argv without the name of the command
 * @param {Config|null} [config] what the file says that the words name, see config
 * @returns {object|undefined} undefined where there was only something to read
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readCommand (command, argv, config = null) {
  if (command.read !== undefined) return command.read(argv)
  const flags = command.groups.flatMap((group) => group.flags)
  const { settings, operands, rest } = readArguments(argv, flags, `${command.call} --help lists the options`)
  const isAsked = (name) => settings.some(({ flag, value }) => flag.name === name && value)
  const topic = settings.findLast(({ flag, value }) => flag.name === 'help' && typeof value === 'string')?.value

  if (isAsked('help')) {
    const stream = command.helpGoesToStderr ? process.stderr : process.stdout
    stream.write(helpText(command, topic))
  } else if (isAsked('version')) {
    process.stdout.write(versionText(command.call))
  } else {
    refuseRest(command, rest)
    return optionsOf(command, new FlagWording(flags, settings, { hasFile: config !== null }), [operands, rest, config])
  }
}

// By the options that a command line stands for: how they were written.
const written = new WeakMap()

function optionsOf (command, wording, given) {
  try {
    return remember(command.optionsFrom(wording.settings, ...given), wording)
  } catch (error) {
    if (error instanceof CannonadeError) error.message = wording.messageOf(error)
    throw error
  }
}

/** Keeps with options how they were written. @returns {object} the options */
function remember (options, wording) {
  written.set(options, wording)
  return options
}

/** How options of `readCommand` were written. @returns {FlagWording|undefined} */
function wordingFor (options) {
  return written.get(options)
}

function refuseRest ({ startsServer }, rest) {
  if (startsServer || rest.length === 0) return
  throw optionProblem('--', `this command takes nothing after --; got ${show(rest[0])}`)
}

/**
 * Puts what the flags say into options, in the order given: the last one wins.
 *
 * @param {Array<{ flag: object, value: * }>} settings
 * @param {object} options
 */
function applySettings (settings, options) {
  for (const { flag, value, spelling } of settings) {
    const read = flag.read ? flag.read(value) : value
    if (flag.set) flag.set(options, read, spelling)
    else options[flag.option ?? flag.name] = read
  }
}

module.exports = { readCommand, applySettings, remember, wordingFor }
