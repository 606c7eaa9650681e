'use strict'

const { optionError } = require('../errors')

// A number as people and command lines write it. Number() alone would also take '', '0x10' and 'Infinity'.
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * One kind of option value: the words for what is allowed, and how a given value is read.
 *
 * @param {string} allowed completes "must be …"
 * @param {function(*, string, object): *} parse the value in its normal form, undefined where it is not allowed. It may
 *   throw a more exact error of its own, naming the part that is wrong
 * @returns {{ allowed: string, read: function(*, string, object): * }} `read(value, name)` throws CANNONADE_BAD_OPTION
 */
function kind (allowed, parse) {
  return {
    allowed,
    read (value, name, read) {
      const parsed = parse(value, name, read)
      if (parsed === undefined) throw optionError(name, value, allowed)
      return parsed
    }
  }
}

/**
 * A finite number, or a text that is exactly one ('10', '0.5', '1e3').
 *
 * @param {*} value
 * @returns {number|undefined} undefined where it is neither
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
  })
}

const rate = kind('a number greater than 0 (requests per second)', value => {
  const number = toNumber(value)
  return number > 0 ? number : undefined
})

const truth = kind('true or false', value => {
  if (value === 'true') return true
  if (value === 'false') return false
  return typeof value === 'boolean' ? value : undefined
})

// Command lines turn a title of digits into a number.
const text = kind('a text', value => {
  if (typeof value === 'string') return value
  return toNumber(value) === undefined ? undefined : String(value)
})

function choice (...names) {
  return kind(names.map(name => `'${name}'`).join(' or '), value => names.includes(value) ? value : undefined)
}

// What a module exports is an object with named parts as well.
const TAGS_OF_OBJECTS = ['[object Object]', '[object Module]']

/**
 * Whether a value is an object with named parts. Arrays, functions and bytes are not, nor is what keeps its content elsewhere: a
 * date, a Map, a URL, a FormData would be taken for an object without any parts.
 */
function isObject (value) {
  if (typeof value !== 'object' || value === null) return false
  return Object.getPrototypeOf(value) === Object.prototype || TAGS_OF_OBJECTS.includes(Object.prototype.toString.call(value))
}

const object = kind('an object', value => isObject(value) ? value : undefined)

/**
 * What is switched on by `true`, or by an object with any of its parts; `false` is null.
 *
 * @param {object} parts by their names, each a kind
 * @param {object} defaults of the parts that are not given
 */
function ofParts (parts, defaults) {
  return kind(`true, or an object with any of ${Object.keys(parts).join(', ')}`, (value, name) => {
    if (value === false) return null
    if (value === true) return { ...defaults }
    if (!isObject(value)) return undefined
    const read = { ...defaults }
    for (const [part, { read: readPart }] of Object.entries(parts)) {
      if (value[part] !== undefined && value[part] !== null) read[part] = readPart(value[part], `${name}.${part}`)
    }
    return read
  })
}

module.exports = { kind, ofParts, toNumber, wholeNumber, rate, truth, text, choice, object, isObject }
