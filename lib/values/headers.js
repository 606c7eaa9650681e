'use strict'

const { types } = require('node:util')
const { optionError, show } = require('../base/errors')
const { kind, isObject } = require('./kinds')

// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

// A line break inside a value would start a header, or a request, of its own. A tab is allowed there.
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\x00-\x08\x0a-\x1f\x7f]/

const FORMS = 'an object, an array of [name, value] pairs, or a flat array of names and values'
const VALUE_FORMS = 'a string without control characters, a number, true or false, or an array of these'

function valueText (value, option, name) {
  if (!isHeaderValue(value)) throw optionError(`${option}[${show(name)}]`, value, VALUE_FORMS)
  return String(value)
}

/** Whether a value may stand in a header. */
function isHeaderValue (value) {
  return typeof value === 'string' ? !CONTROL_CHARACTERS.test(value) : isPrintable(value)
}

function isPrintable (value) {
  return Number.isFinite(value) || typeof value === 'boolean' || typeof value === 'bigint'
}

// An array, a Map, a Headers object. A text or bytes can be walked as well, and are none.
function isList (given) {
  return typeof given === 'object' && given !== null && typeof given[Symbol.iterator] === 'function' &&
    !ArrayBuffer.isView(given) && !types.isBoxedPrimitive(given)
}

// The given headers as pairs, in whichever of the forms they came. undefined: in none of them.
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
 * Headers as the user gives them. They are read into a Map from the lower-case name to `{ name, values }`, since names
 * are case-insensitive: a name given again replaces the earlier one, only an array value repeats a header.
 * null and undefined leave `values` empty, which removes a header that was inherited.
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
 * Headers over other headers.
 *
 * @param {Map} common as `headers.read` gives them
 * @param {Map} own those that replace, or remove, the common ones
 * @returns {Map}
 */
function mergeHeaders (common, own) {
  return new Map([...common, ...own])
}

/**
 * @param {Map} read as `headers.read` gives them
 * @returns {Array<[string, string]>} name and value, in the order given
 */
function headerList (read) {
  const list = []
  for (const { name, values } of read.values()) {
    for (const value of values) list.push([name, value])
  }
  return list
}

/**
 * The way back from `headerList`.
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

module.exports = { TOKEN, headers, isHeaderValue, mergeHeaders, headerList, headersOf }
