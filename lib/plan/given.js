'use strict'

const { OPTIONS } = require('./options')

// Under this key the options of a command line have the defaults that were filled in for whoever reads them, by name.
const FILLED_IN = Symbol('filled in')

const OFF = new Map(OPTIONS.map(({ name, off = [] }) => [name, off]))

/**
 * What of the options was really asked for: without those that false or an empty text switches off, and without the defaults
 * that parseArguments has filled in.
 *
 * @param {object} given what the user wrote
 * @returns {object} a new object
 */
function askedFor (given) {
  const filledIn = given[FILLED_IN] ?? {}
  const isTurnedOff = (name, value) => OFF.get(name)?.includes(value)
  const isAskedFor = ([name, value]) => !isTurnedOff(name, value) && !(Object.hasOwn(filledIn, name) && filledIn[name] === value)
  // What the object inherits counts as well.
  return Object.assign(Object.create(Object.getPrototypeOf(given)), Object.fromEntries(Object.entries(given).filter(isAskedFor)))
}

/**
 * Fills in defaults for whoever reads the options; a run does not take them for what was asked for.
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

/** Whether options come from a command line. */
function isFromCommandLine (given) {
  return given?.[FILLED_IN] !== undefined
}

module.exports = { askedFor, fillIn, isFromCommandLine }
