'use strict'

const { show } = require('../base/errors')
const { isGiven, isObject } = require('../values/kinds')
const { OPTIONS } = require('./options')
const { suggest } = require('../base/suggest')

/**
 * Options of the command, of `track` and of result aggregation. Programs pass whole argument objects, which contain these
 * next to the options of the run.
 */
const OF_NO_CONCERN = new Set([
  '_', '--', 'help', 'h', 'version', 'v', 'json', 'j', 'n', 'progress', 'verbose', 'V', 'latency', 'l',
  'renderProgressBar', 'renderResultsTable', 'renderLatencyTable', 'renderStatusCodes', 'renderSlowestTable', 'statusCodes',
  'progressBarString', 'outputStream', 'live', 'statusInterval', 'html', 'csv', 'csvLine', 'junit', 'markdown', 'hdr', 'github', 'opentelemetry', 'curl', 'baseline', 'maxRegression', 'strict', 'spawn', 'onPort', 'on-port', 'cert',
  'key', 'ca'
])

/**
 * Other spellings of an option in an object of parsed arguments. They accompany the long name, and have no meaning
 * without it.
 */
const SPELLINGS = new Map(OPTIONS.flatMap(({ name, flags }) => flags
  .filter(({ part, letter, names }) => part === undefined && (letter !== undefined || names !== undefined))
  .flatMap((flag) => [flag.letter, flag.name, ...flag.names ?? []].filter((each) => each !== undefined && each !== name).map((each) => [each, name]))))

function warning (where, key, rest) {
  return { code: 'UNKNOWN_OPTION', message: `the option ${show(where + key)} ${rest}` }
}

// Returns warnings for keys of one object that are not options.
function unknownKeys (given, known, where) {
  const warnings = []
  for (const key of Object.keys(given)) {
    if (known.has(key) || OF_NO_CONCERN.has(key) || !isGiven(given[key])) continue
    const long = SPELLINGS.get(key)
    if (long !== undefined && isGiven(given[long])) continue
    const meant = known.has(long) ? long : suggest(key, known)
    const hint = meant === undefined ? '' : `: did you mean ${show(where + meant)}?`
    warnings.push(warning(where, key, `is unknown and has no effect${hint}`))
  }
  return warnings
}

/**
 * Returns a warning for each key that is not an option, at the top level or within an option's value, so that nothing is
 * ignored silently.
 *
 * @param {object} given the user's options
 * @returns {Array<{ code: 'UNKNOWN_OPTION', message: string }>}
 */
function unknownOptions (given) {
  return [
    ...unknownKeys(given, NAMES, ''),
    ...OPTIONS.filter(({ keys }) => keys).flatMap(({ name, keys, keysWithin }) => unknownWithin(given[name], name, keys, keysWithin))
  ]
}

function unknownWithin (value, where, keys, keysWithin = {}) {
  if (Array.isArray(value)) return value.flatMap((part, index) => unknownWithin(part, `${where}[${index}]`, keys, keysWithin))
  if (!isObject(value)) return []
  const parts = Object.entries(keysWithin).flatMap(([part, ofPart]) => unknownWithin(value[part], `${where}.${part}`, ofPart))
  return [...unknownKeys(value, new Set(keys), `${where}.`), ...parts]
}

const NAMES = new Set(OPTIONS.map(({ name }) => name))

const KEYS = new Map(OPTIONS.flatMap(({ name, keys, keysWithin = {} }) => [
  [name, keys], ...Object.entries(keysWithin).map(([part, ofPart]) => [`${name}.${part}`, ofPart])
]))

/**
 * Whether a run or the command knows a key of an options object.
 *
 * @param {...string} names the option, and the key within its value
 */
function isOption (...names) {
  const key = names.at(-1)
  if (OF_NO_CONCERN.has(key) || SPELLINGS.has(key)) return true
  if (names.length === 1) return NAMES.has(key)
  return new Set(KEYS.get(names.slice(0, -1).join('.')) ?? [key]).has(key)
}

module.exports = { isOption, unknownOptions }
