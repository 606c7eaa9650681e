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
  const warnings = unknownKeys(given, NAMES, '')
  for (const { name, keys, keysWithin = {} } of OPTIONS.filter(option => option.keys)) {
    const value = given[name]
    const known = new Set(keys)
    if (isObject(value)) {
      warnings.push(...unknownKeys(value, known, `${name}.`))
      for (const [part, ofPart] of Object.entries(keysWithin)) {
        if (isObject(value[part])) warnings.push(...unknownKeys(value[part], new Set(ofPart), `${name}.${part}.`))
      }
    }
    if (!Array.isArray(value)) continue
    value.forEach((part, i) => {
      if (isObject(part)) warnings.push(...unknownKeys(part, known, `${name}[${i}].`))
      else if (Array.isArray(part)) part.forEach((inner, j) => isObject(inner) && warnings.push(...unknownKeys(inner, known, `${name}[${i}][${j}].`)))
    })
  }
  return warnings
}

const NAMES = new Set(OPTIONS.map(({ name }) => name))

/** Whether a run or the command knows a key of an options object. @param {string} name */
function isOption (name) {
  return NAMES.has(name) || OF_NO_CONCERN.has(name) || SPELLINGS.has(name)
}

module.exports = { isOption, unknownOptions }
