'use strict'

// Under this key the options of a command line have the defaults that were filled in for whoever reads them, by name.
const FILLED_IN = Symbol('filled in')

// What forms and conditions leave where an option is not wanted: `condition && value`, an untouched field.
const OFF = new Set([
  'socketPath', 'title', 'har', 'form', 'headers', 'requests', 'initialContext', 'setupClient', 'verifyBody', 'onEvent', 'expectBody', 'workers', 'fleet',
  'reconnectRate', 'warmup', 'servername', 'tlsOptions', 'websocket', 'grpc', 'socketio', 'forever', 'debug'
])

// The same, where an empty text is more likely a variable that should have had a value.
const OFF_BY_FALSE = new Set(['feed', 'thinkTime', 'stages', 'bursts', 'replay', 'thresholds', 'signal', 'proxy', 'localAddress', 'dashboard', 'prometheus', 'monitor'])

const isOff = (value) => value === false || value === ''

/**
 * What of the options was really asked for: without those that false or an empty text switches off, and without the defaults
 * that parseArguments has filled in.
 *
 * @param {object} given what the user wrote
 * @returns {object} a new object
 */
function askedFor (given) {
  const filledIn = given[FILLED_IN] ?? {}
  const isTurnedOff = (name, value) => (OFF.has(name) && isOff(value)) || (OFF_BY_FALSE.has(name) && value === false)
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

module.exports = { askedFor, fillIn, isFromCommandLine, isOff }
