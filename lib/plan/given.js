'use strict'

const { OPTIONS } = require('./options')

// Under this key, options from a command line keep the defaults, by name, that were filled in for programs that read
// them.
const FILLED_IN = Symbol('filled in')

const OFF = new Map(OPTIONS.map(({ name, off = [] }) => [name, off]))

/**
 * Returns only the options that the user set: without those that false or an empty string turns off, and without the
 * defaults that parseArguments filled in.
 *
 * @param {object} given the user's options
 * @returns {object} a new object
 */
function askedFor (given) {
  const filledIn = given[FILLED_IN] ?? {}
  const isTurnedOff = (name, value) => OFF.get(name)?.includes(value)
  const isAskedFor = ([name, value]) => !isTurnedOff(name, value) && !(Object.hasOwn(filledIn, name) && filledIn[name] === value)
  // Inherited options count too, so the copy keeps the prototype.
  return Object.assign(Object.create(Object.getPrototypeOf(given)), Object.fromEntries(Object.entries(given).filter(isAskedFor)))
}

/**
 * Fills in defaults for programs that read the options. A run does not treat them as set by the user.
 *
 * @param {object} given
 * @param {object} defaults by name
 * @returns {object} a new object
 */
function fillIn (given, defaults) {
  const missing = Object.entries(defaults).filter(([name]) => given[name] === undefined)
  const filledIn = Object.fromEntries(missing)
  return { ...filledIn, ...given, [FILLED_IN]: filledIn }
}

/** Whether the options come from a command line. */
function isFromCommandLine (given) {
  return given?.[FILLED_IN] !== undefined
}

module.exports = { askedFor, fillIn, isFromCommandLine }
