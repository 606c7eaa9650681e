'use strict'

const { optionError } = require('../base/errors')

// Numbers as people and command lines write them. Number() alone would also accept '', '0x10' and 'Infinity'.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

// Values that tests expect to be rejected. These objects do not keep their content in properties, so reading it would find nothing.
const NO_NUMBERS = ['ten', '', ' ', '0x10', '1_000', '10 connections', NaN, Infinity, -Infinity, true, [], {}, 10n, () => 10]
const NO_WHOLE_NUMBERS = [...NO_NUMBERS, 1.5, '1.5', -1, '-1', 2 ** 53]
const OTHER_OBJECTS = [new Date(0), new Map([['a', 1]]), new Set(), /x/, new URL('http://x'), Promise.resolve(), new Error('x')]
const NO_OBJECTS = [5, 'text', true, [], Buffer.from('x'), () => {}, ...OTHER_OBJECTS]

/**
 * Defines a kind of option value: a description of what is allowed, and how a given value is parsed.
 *
 * @param {string} allowed completes "must be …"
 * @param {function(*, string, object): *} parse returns the value in its normal form, undefined if it is not allowed. It may
 *   throw a more specific error that names the invalid part
 * @param {object} [more]
 * @param {string[]} [more.keys] names of its parts, if the value is an object or an array of objects
 * @param {Object<string, string[]>} [more.keysWithin] the same for values of these parts
 * @param {Array<Array>} [more.good] values for tests, as `[value, expected]`, or `[value]` if the result is tested elsewhere
 * @param {Array} [more.bad] values that tests expect to be rejected
 * @returns {{ allowed: string, read: function(*, string, object): *, keys: ?string[], good: ?Array, bad: ?Array }} `read(value, name)` throws CANNONADE_BAD_OPTION
 */
function kind (allowed, parse, { keys, keysWithin, good, bad } = {}) {
  return {
    allowed,
    ...(keys && { keys }),
    ...(keysWithin && { keysWithin }),
    ...(good && { good }),
    ...(bad && { bad }),
    read (value, name, read) {
      const parsed = parse(value, name, read)
      if (parsed === undefined) throw optionError(name, value, allowed)
      return parsed
    }
  }
}

/**
 * Returns a finite number, or the value of a string that is one ('10', '0.5', '1e3').
 *
 * @param {*} value
 * @returns {number|undefined} undefined if it is neither
 */
function toNumber (value) {
  if (typeof value === 'string') value = NUMBER.test(value.trim()) ? Number(value) : undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function wholeNumber (least, most = Number.MAX_SAFE_INTEGER) {
  const allowed = most === Number.MAX_SAFE_INTEGER
    ? `a whole number, ${least} or more`
    : `a whole number from ${least} to ${most}`
  return kind(allowed, value => {
    const number = toNumber(value)
    return Number.isSafeInteger(number) && number >= least && number <= most ? number : undefined
  }, { good: [[least, least], [String(least + 1), least + 1], [` ${least} `, least]], bad: [...NO_WHOLE_NUMBERS, least - 1, most + 1] })
}

const count = wholeNumber(1)

const countOrNever = kind('a whole number, 0 (never) or more', value => {
  const number = toNumber(value)
  return Number.isSafeInteger(number) && number >= 0 ? number || null : undefined
}, { good: [[1, 1], ['3', 3], [0, null]], bad: NO_WHOLE_NUMBERS })

const rate = kind('a number greater than 0 (requests per second)', value => {
  const number = toNumber(value)
  return number > 0 ? number : undefined
}, { good: [[0.5, 0.5], ['1e3', 1000]], bad: [...NO_NUMBERS, 0, -0.1] })

const weight = kind('a number greater than 0', value => {
  const number = toNumber(value)
  return number > 0 ? number : undefined
}, { good: [[0.5, 0.5], ['3', 3]], bad: [...NO_NUMBERS, 0, -1] })

const truth = kind('true or false', value => {
  if (value === 'true') return true
  if (value === 'false') return false
  return typeof value === 'boolean' ? value : undefined
}, { good: [[true, true], [false, false], ['true', true], ['false', false]], bad: [0, 1, 'yes', '', {}, []] })

// Command-line parsers turn a title that consists of digits into a number.
const text = kind('a string', value => {
  if (typeof value === 'string') return value
  return toNumber(value) === undefined ? undefined : String(value)
}, { good: [['a text', 'a text'], [2024, '2024']], bad: [true, {}, [], NaN, () => {}] })

function choice (...names) {
  const one = kind(names.map(name => `'${name}'`).join(' or '), value => names.includes(value) ? value : undefined, {
    good: names.map(name => [name, name]), bad: ['other', names[0].toUpperCase(), true, 1, {}]
  })
  return { ...one, choices: names }
}

// The namespace object of a module also has named parts.
const TAGS_OF_OBJECTS = ['[object Object]', '[object Module]']

/**
 * Whether a value is an object with named parts. Arrays, functions and bytes are not. Neither are objects that do not keep their
 * content in properties (a Date, a Map, a URL, a FormData), which would look like empty objects.
 */
function isObject (value) {
  if (typeof value !== 'object' || value === null) return false
  return Object.getPrototypeOf(value) === Object.prototype || TAGS_OF_OBJECTS.includes(Object.prototype.toString.call(value))
}

const object = kind('an object', value => isObject(value) ? value : undefined, { good: [[{ user: { id: 1 } }, { user: { id: 1 } }], [{}, {}]], bad: NO_OBJECTS })

const ofAbortSignal = kind('an AbortSignal', value => {
  return typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function' ? value : undefined
}, { bad: [5, true, {}, [], { aborted: false }] })

/** Whether a value was given: undefined and null mean that it was not. */
const isGiven = (value) => value !== undefined && value !== null

/** Whether a value means that an option is not wanted: false from `condition && value`, or '' from an empty form field. */
const isOff = (value) => value === false || value === ''

/**
 * Defines a value with named parts, which may come from several places (a config file and flags); `false` becomes null.
 *
 * @param {Object<string, object>} parts kinds by name, in the order in which they are parsed; each kind's `read` gets the parts before it
 * @param {object} [form]
 * @param {object} [form.defaults] of parts that are not given; parts without a default are left out
 * @param {string[]} [form.needs] parts that must be given, unless the value is `true`
 * @param {boolean} [form.isSwitch] whether `true` stands for all defaults
 * @param {{ part: string, accepts: function(*): boolean, isNamed?: boolean }} [form.shorthand] a value that stands for one part;
 *   `isNamed: false`: errors about it name the option instead of the part
 * @param {string} [form.allowed] completes "must be …"
 * @returns {object} a kind that also has `keys` (the names of its parts), `keysWithin`, `isMerged` and `shorthand`, for the table of options
 */
function ofParts (parts, { defaults = {}, needs = [], isSwitch = false, shorthand, allowed = `true, or an object with any of ${Object.keys(parts).join(', ')}` } = {}) {
  const readParts = (value, name) => {
    const read = { ...defaults }
    for (const [part, { read: readPart }] of Object.entries(parts)) {
      if (isGiven(value[part]) || needs.includes(part)) read[part] = readPart(value[part], `${name}.${part}`, read)
    }
    return read
  }
  return {
    ...kind(allowed, (value, name) => {
      if (value === false) return null
      if (value === true && isSwitch) return { ...defaults }
      if (isObject(value)) return readParts(value, name)
      if (!shorthand?.accepts(value)) return undefined
      const { part, isNamed = true } = shorthand
      return { ...defaults, [part]: parts[part].read(value, isNamed ? `${name}.${part}` : name) }
    }),
    keys: Object.keys(parts),
    choicesWithin: Object.fromEntries(Object.entries(parts).flatMap(([part, { choices }]) => choices ? [[part, choices]] : [])),
    keysWithin: Object.fromEntries(Object.entries(parts).flatMap(([part, { keys }]) => keys ? [[part, keys]] : [])),
    isMerged: true,
    shorthand: shorthand?.part
  }
}

const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i // two letters at least: 'C:\…' is a path

function toModule (value) {
  if (value instanceof URL) return value.protocol === 'file:' ? value.href : undefined
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return SCHEME.test(value) && !/^file:/i.test(value) ? undefined : value
}

/**
 * A function of the user, or a module whose default export is one. false means none, so that users can write
 * `condition && hook`.
 */
const hook = kind('a function, or the path or file: URL of a module that exports one', value => {
  if (typeof value === 'function') return value
  return value === false ? null : toModule(value)
}, {
  good: [['./hook.js', './hook.js'], [new URL('file:///hook.js'), 'file:///hook.js']],
  bad: [5, true, '', ' ', {}, [], 'https://example.com/hook.js', new URL('data:text/javascript,')]
})

module.exports = { NO_OBJECTS, OTHER_OBJECTS, kind, ofParts, toNumber, wholeNumber, count, countOrNever, rate, weight, truth, text, choice, object, ofAbortSignal, isObject, isGiven, isOff, hook }
