'use strict'

const { isGiven } = require('../../values/kinds')
const { copyPlain } = require('../../values/freeze')
const { loadOptions, sessionOptions, rateOptions } = require('./load')
const { requestOptions, streamOptions } = require('./request')
const { connectionOptions, grpcOptions, fleetOptions, webSocketOptions } = require('./connection')
const { verdictOptions, outputOptions } = require('./output')

/**
 * Every option is one descriptor, in one of the tables beside this file. All that is known of an option is read from its descriptor:
 * checks, defaults, contradictions, names of unknown options, layers of config files and flags, the plan, flags and help, what studies
 * refuse, and the values that tests try.
 *
 * What it takes:
 *
 * - `name`
 * - `read(value, name, read)` returns the value in its normal form, or throws; `allowed` says in words what is allowed. `read`
 *   has the other options
 * - `default`: the value if none (undefined or null) is given. A function is called with the other options. Default of the
 *   default: null
 * - `keys`: the names of the parts of its value, if that is an object (or an array of objects); `keysWithin`: by the name of a
 *   part that may be an object itself, the names of its parts
 * - `isMerged`: its parts may come from several layers; `shorthand`: the part that a value without parts stands for
 * - `off`: values that stand for "not given": what forms and conditions leave, `condition && value`. For some options an empty
 *   text is not among them, since it is more likely a variable that should have had a value
 *
 * What it does, beside others:
 *
 * - `inPlan`: the plan has it as it was read
 * - `scheduleOnly`: it has an effect only with a schedule, which says when requests are due
 * - `group`: options of one group say the same thing in different ways, so one in an upper layer replaces those of the lower one
 * - `conflicts`: `[other, why, when]`: another option that can't be given together with it; `when(read)` if only sometimes
 * - `notWithWebSocket`: why it can't be given with a ws:// URL
 * - `yieldsTo`: options that make it have no effect, since they say themselves what is sent
 * - `decides`: 'rate', 'length', 'end' or 'repetition' of a run. A study that decides this itself refuses the option
 *
 * What tests try:
 *
 * - `good`: values as `[value, whatItBecomes]` in the plan (or as read, if the plan has it not), or `[value]` alone; `goodWith`: other
 *   options that it needs
 * - `bad`: values that are refused with a sentence that names the option. A kind has both, a descriptor may have its own
 *
 * `flag`, or `flags` if there are several: how it is given on a command line.
 *
 * - `name`, if it is not the option's (in camelCase, kebab-case is derived from it), `letter`, `names` (further ones)
 * - `part`: the part of the option's value that it sets
 * - `argument`: what its argument is called; without one the flag is true or false. `isOptional`: it may be missing
 * - `takesList`: the argument may be a list in brackets, which `read` gets as an array; `takesFlags`: names of options whose
 *   flags may stand in the brackets
 * - `isNegative`: the flag turns the option off, so that is what the letter does and the help shows
 * - `read(text)`: the value of the option, or of its part; without it the text, or the truth, itself
 * - `collect(before, value)`: what becomes of several values, for a flag that may be repeated
 * - `set(options, value)`: instead, if it does more than to set the option or a part of it
 * - `sets`: the name that messages use, if it is not that of the option or part
 * - `help`; `isCommon`: the short help has it, so it fits in one line there
 */
const OPTIONS = [
  ['load', loadOptions],
  ['sessions', sessionOptions],
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
 * Every option in its normal form, with the defaults filled in. Each is read when it is first asked for, so that their order
 * doesn't matter, and once.
 *
 * @param {object} given what the user wrote
 * @returns {{ read: object, errors: Map<string, Error> }} `read` by name, null for a bad one; `errors` likewise, in the order in
 *   which they were found
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
 * As `tryOptions` does, for options that must be good.
 *
 * @param {object} given
 * @returns {object} by name
 * @throws CANNONADE_BAD_OPTION at the first bad one
 */
function readOptions (given) {
  const { read, errors } = tryOptions(given)
  const [first] = errors.values()
  if (first !== undefined) throw first
  return read
}

/**
 * The user's own options with the defaults filled in, for showing: durations in seconds and numbers as numbers, all
 * else as it was given. A bad value is left as it is.
 *
 * @param {object} given what the user wrote
 * @param {{ read: object, errors: Map<string, Error> }} tried of tryOptions
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
 * The options that were given but do nothing, since the connections send as fast as they can.
 *
 * @param {object} given what the user wrote
 * @param {object} read as `readOptions` gives them
 * @returns {string[]} names
 */
function givenForScheduleOnly (given, read) {
  return OPTIONS
    .filter(option => option.scheduleOnly && isGiven(given[option.name]))
    .filter(option => read[option.name] !== defaultOf(option, read))
    .map(option => option.name)
}

/** The options that a plan has as they were read. @param {object} read as `readOptions` gives them */
function simpleParts (read) {
  return Object.fromEntries(OPTIONS.filter(({ inPlan }) => inPlan).map(({ name }) => [name, read[name]]))
}

module.exports = { OPTIONS, simpleParts, tryOptions, readOptions, fillDefaults, givenForScheduleOnly }
