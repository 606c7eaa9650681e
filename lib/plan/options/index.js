'use strict'

const { isGiven } = require('../../values/kinds')
const { copyPlain } = require('../../values/freeze')
const { loadOptions, sessionOptions, userOptions, scenarioOptions, rateOptions } = require('./load')
const { requestOptions, streamOptions } = require('./request')
const { connectionOptions, grpcOptions, fleetOptions, webSocketOptions } = require('./connection')
const { verdictOptions, outputOptions } = require('./output')

/**
 * Every option is one descriptor, in one of the tables in this folder. Everything that is known about an option comes
 * from its descriptor: checks, defaults, conflicts, names of unknown options, layers of config files and flags, the plan,
 * flags and help, what studies refuse, and the values that tests try.
 *
 * The value:
 *
 * - `name`
 * - `read(value, name, read)` returns the normalized value, or throws; `allowed` describes the allowed values in words.
 *   The third argument holds the other options
 * - `default`: the value if none (undefined or null) is given. A function is called with the other options. If there is
 *   no `default`, it is null
 * - `keys`: the names of the parts, if the value is an object (or an array of objects); `keysWithin`: the names of the
 *   parts of each part that may be an object itself
 * - `isMerged`: its parts may come from several layers; `shorthand`: the part that a plain value sets
 * - `off`: values that mean "not given", such as the false of `condition && value`. For some options an empty string is
 *   not one of them, since it is more likely an unset variable
 *
 * How it interacts with other options:
 *
 * - `inPlan`: it is copied to the plan as read
 * - `scheduleOnly`: it has an effect only if a schedule defines when requests are due
 * - `group`: options of one group are alternatives, so one in an upper layer replaces those of the lower layers
 * - `conflicts`: `[other, why, when]`: an option that it can't be combined with; `when(read)`: the condition, if they
 *   conflict only sometimes
 * - `notWithWebSocket`: why it can't be given with a ws:// URL
 * - `yieldsTo`: options that make it ineffective because they define what is sent
 * - `decides`: 'rate', 'length', 'end' or 'repetition' of a run. A study that sets this itself refuses the option
 *
 * What tests try:
 *
 * - `good`: values as `[value, whatItBecomes]` in the plan (or as read, if it is not in the plan), or only `[value]`;
 *   `goodWith`: other options that it needs
 * - `bad`: values that are refused with an error that names the option. Kinds define both; a descriptor may override them
 *
 * `flag`, or `flags` if there are several: how the option is given on a command line.
 *
 * - `name`, if it differs from the option's name (in camelCase; kebab-case is derived from it), `letter`, `names`
 *   (aliases)
 * - `part`: the part of the option's value that it sets
 * - `choices`: values that a shell offers, if those of the option do not apply
 * - `argument`: the argument's name in the help; without one, the flag is true or false. `isOptional`: the argument may
 *   be omitted. `follows`: a following word is the argument only if it matches this
 * - `takesList`: the argument may be a list in brackets, which `read` gets as an array; `takesFlags`: names of options
 *   whose flags are allowed in the brackets
 * - `isNegative`: the flag turns the option off; its letter does so too, and the help shows it that way
 * - `read(text)`: returns the value of the option or part; without it, the value is the text itself, or the boolean
 * - `collect(before, value)`: combines the values of a flag that may be repeated
 * - `set(options, value)`: used instead, if the flag does more than set the option or a part of it
 * - `sets`: the name that messages use, if it is not the name of the option or part
 * - `help`; `isCommon`: the flag is in the short help, so its text must fit on one line
 */
const OPTIONS = [
  ['load', loadOptions],
  ['sessions', sessionOptions],
  ['sessions', userOptions],
  ['sessions', scenarioOptions],
  ['rate', rateOptions],
  ['request', requestOptions],
  ['streams', streamOptions],
  ['connection', connectionOptions],
  ['grpc', grpcOptions],
  ['fleet', fleetOptions],
  ['websocket', webSocketOptions],
  ['verdict', verdictOptions],
  ['output', outputOptions]
].flatMap(([topic, options]) => options.map(({ flag, flags = flag ? [flag] : [], ...option }) => ({ ...option, flags, topic })))

function defaultOf (option, read) {
  if (!('default' in option)) return null
  return typeof option.default === 'function' ? option.default(read) : option.default
}

function readOption (option, given, read) {
  const value = isGiven(given) ? given : defaultOf(option, read)
  return isGiven(value) ? option.read(value, option.name, read) : value
}

/**
 * Reads every option and fills in the defaults. Each option is read once, when it is first needed, so their order doesn't
 * matter.
 *
 * @param {object} given the user's options
 * @returns {{ read: object, errors: Map<string, Error> }} `read`: the values by name, null if invalid; `errors`: the
 *   errors by name, in the order in which they were found
 */
function tryOptions (given) {
  const [values, errors] = [new Map(), new Map()]
  const read = {}
  const valueOf = (option) => {
    try {
      return readOption(option, given[option.name], read)
    } catch (error) {
      errors.set(option.name, error)
      return null
    }
  }
  for (const option of OPTIONS) {
    const { name } = option
    Object.defineProperty(read, name, {
      enumerable: true,
      get () {
        if (!values.has(name)) values.set(name, valueOf(option))
        return values.get(name)
      }
    })
  }
  return { read: { ...read }, errors }
}

/**
 * Like `tryOptions`, but throws if an option is invalid.
 *
 * @param {object} given
 * @returns {object} by name
 * @throws CANNONADE_BAD_OPTION for the first invalid option
 */
function readOptions (given) {
  const { read, errors } = tryOptions(given)
  const [first] = errors.values()
  if (first !== undefined) throw first
  return read
}

/**
 * Returns the user's options with defaults filled in, for display: durations in seconds, numbers as numbers, and the rest
 * as given. Invalid values are left unchanged.
 *
 * @param {object} given the user's options
 * @param {{ read: object, errors: Map<string, Error> }} tried the result of tryOptions
 * @returns {object} by name
 */
function fillDefaults (given, { read, errors }) {
  const filled = { ...given }
  for (const option of OPTIONS.filter(({ name }) => !errors.has(name))) {
    const value = read[option.name]
    const isPrimitive = isGiven(value) && Object(value) !== value
    if (isPrimitive) filled[option.name] = value
    else if (!isGiven(given[option.name]) && typeof option.default === 'object') filled[option.name] = copyPlain(option.default)
  }
  return filled
}

/**
 * Returns the given options that have no effect because there is no schedule: connections send as fast as they can.
 *
 * @param {object} given the user's options
 * @param {object} read as `readOptions` returns them
 * @returns {string[]} names
 */
function givenForScheduleOnly (given, read) {
  return OPTIONS
    .filter(option => option.scheduleOnly && isGiven(given[option.name]))
    .filter(option => read[option.name] !== defaultOf(option, read))
    .map(option => option.name)
}

/** Returns the options that are copied to the plan as read. @param {object} read as `readOptions` gives them */
function simpleParts (read) {
  return Object.fromEntries(OPTIONS.filter(({ inPlan }) => inPlan).map(({ name }) => [name, read[name]]))
}

module.exports = { OPTIONS, simpleParts, tryOptions, readOptions, fillDefaults, givenForScheduleOnly }
