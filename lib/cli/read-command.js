'use strict'

const { CannonadeError, optionProblem, show } = require('../base/errors')
const { readArguments } = require('./arguments')
const FlagWording = require('./flag-wording')
const { versionText } = require('./shared/version')

/**
 * Parses a command line into the options of a command. If it asks for the help or the version, prints that on stdout.
 *
 * @param {object} command one of commands.js
 * @param {string[]} argv without the command's name
 * @param {Config|null} [config] the config file that the command line names, if any
 * @returns {object|undefined} undefined if it only printed information
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readCommand (command, argv, config = null) {
  if (command.read !== undefined) return command.read(argv)
  const flags = command.groups.flatMap((group) => group.flags)
  const { settings, operands, rest } = readArguments(argv, flags, `${command.call} --help lists the options`, command.whyNot)
  const isAsked = (name) => settings.some(({ flag, value }) => flag.name === name && value)
  const topic = settings.findLast(({ flag, value }) => flag.name === 'help' && typeof value === 'string')?.value

  if (isAsked('help')) {
    const stream = command.helpGoesToStderr ? process.stderr : process.stdout
    stream.write(require('./shared/help').helpText(command, topic))
  } else if (isAsked('version')) {
    process.stdout.write(versionText(command.call))
  } else {
    refuseRest(command, rest)
    return optionsOf(command, new FlagWording(flags, settings, { hasFile: config !== null }), [operands, rest, config])
  }
}

// Maps options to the flags they were written with, for errors.
const written = new WeakMap()

function optionsOf (command, wording, given) {
  try {
    return remember(command.optionsFrom(wording.settings, ...given), wording)
  } catch (error) {
    if (error instanceof CannonadeError) error.message = wording.messageOf(error)
    throw error
  }
}

/** Remembers how options were written. @returns {object} the options */
function remember (options, wording) {
  written.set(options, wording)
  return options
}

/** Returns how options from `readCommand` were written. @returns {FlagWording|undefined} */
function wordingFor (options) {
  return written.get(options)
}

function refuseRest ({ startsServer }, rest) {
  if (startsServer || rest.length === 0) return
  throw optionProblem('--', `this command takes nothing after --; got ${show(rest[0])}`)
}

/**
 * Applies flags to options in the given order, so the last one wins.
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
