'use strict'

const { types } = require('node:util')
const { contradiction, optionError, show } = require('../base/errors')
const TraceIds = require('../world/trace-ids')
const { kind, isObject } = require('./kinds')

// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

// A line break in a value would inject another header or request. A tab is allowed.
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\x00-\x08\x0a-\x1f\x7f]/

const FORMS = 'an object, an array of [name, value] pairs, or a flat array of names and values'
const VALUE_FORMS = 'a string without control characters, a number, true or false, or an array of these'

function valueText (value, option, name) {
  if (!isHeaderValue(value)) throw optionError(`${option}[${show(name)}]`, value, VALUE_FORMS)
  return String(value)
}

/** Whether a value is allowed in a header. */
function isHeaderValue (value) {
  return typeof value === 'string' ? !CONTROL_CHARACTERS.test(value) : isPrintable(value)
}

function isPrintable (value) {
  return Number.isFinite(value) || typeof value === 'boolean' || typeof value === 'bigint'
}

// An array, a Map or a Headers object. Strings and bytes are iterable too, but are not lists of headers.
function isList (given) {
  return typeof given === 'object' && given !== null && typeof given[Symbol.iterator] === 'function' &&
    !ArrayBuffer.isView(given) && !types.isBoxedPrimitive(given)
}

// Converts headers in any of the accepted forms to pairs; undefined if the form is not accepted.
function toPairs (given) {
  if (isObject(given)) return Object.entries(given)
  if (!isList(given)) return undefined
  const items = [...given]
  if (items.every(item => Array.isArray(item) && item.length === 2)) return items
  if (items.length % 2 !== 0) return undefined
  const pairs = []
  for (let i = 0; i < items.length; i += 2) pairs.push([items[i], items[i + 1]])
  return pairs
}

/**
 * Headers as given by the user. They are parsed into a Map from the lower-case name to `{ name, values }`, because
 * names are case-insensitive: if a name is given again, it replaces the earlier one; only an array value repeats a
 * header. null and undefined leave `values` empty, which removes an inherited header.
 */
const headers = kind(FORMS, (given, option) => {
  const pairs = toPairs(given)
  if (pairs === undefined) return undefined
  const read = new Map()
  for (const [name, value] of pairs) {
    if (typeof name !== 'string' || !TOKEN.test(name)) {
      throw optionError(option, name, 'headers whose names are HTTP tokens (letters, digits and !#$%&\'*+-.^_`|~)')
    }
    const values = Array.isArray(value) ? value : [value]
    const texts = values.filter(item => item !== null && item !== undefined).map(item => valueText(item, option, name))
    read.set(name.toLowerCase(), { name, values: texts })
  }
  return read
})

/**
 * Overrides headers with others.
 *
 * @param {Map} common from `headers.read`
 * @param {Map} own those that replace or remove common ones
 * @returns {Map}
 */
function mergeHeaders (common, own) {
  return new Map([...common, ...own])
}

/** The names, in lower case, that were given without a value: these headers are removed. @param {Map} read from `headers.read` @returns {string[]} */
function removedNames (read) {
  return [...read].filter(([, { values }]) => values.length === 0).map(([name]) => name)
}

/**
 * @param {Map} read from `headers.read`
 * @returns {Array<[string, string]>} names and values, in their original order
 */
function headerList (read) {
  const list = []
  for (const { name, values } of read.values()) {
    for (const value of values) list.push([name, value])
  }
  return list
}

/**
 * The inverse of `headerList`.
 *
 * @param {Array<[string, string]>} list
 * @returns {Map}
 */
function headersOf (list) {
  const read = new Map()
  for (const [name, value] of list) {
    const known = read.get(name.toLowerCase())
    if (known === undefined) read.set(name.toLowerCase(), { name, values: [value] })
    else known.values.push(value)
  }
  return read
}

/** Throws if headers given beside the option `traceparent` include a traceparent. @param {Map} [read] from `headers.read` */
function refuseTraceparent (read, where) {
  const given = read?.get(TraceIds.HEADER)
  if (given !== undefined && given.values.length > 0) throw contradiction('traceparent', `${where}.${TraceIds.HEADER}`, 'each request gets a header of its own')
}

/** @param {Map} read from `headers.read` @returns {Map} */
function withoutTraceparent (read) {
  const rest = new Map(read)
  rest.delete(TraceIds.HEADER)
  return rest
}

module.exports = { TOKEN, headers, isHeaderValue, mergeHeaders, headerList, headersOf, refuseTraceparent, removedNames, withoutTraceparent }
