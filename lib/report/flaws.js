'use strict'

const { show } = require('../base/errors')
const { clean, cleanUrl } = require('./text')

/*
 * Validates data from outside, as far as the code relies on it. A kind is a function that takes a value and its path, and
 * returns what is wrong as `{ path, must, value }`, or null. Its `read` converts any value to a safe one: invalid parts
 * become null or empty, and unknown fields are dropped.
 */

const kind = (check, read) => Object.assign(check, { read })
const is = (test, must, read) => kind((value, path) => test(value) ? null : { path, must, value }, read)

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value)

const number = is(isNumber, 'a number', (value) => isNumber(value) ? value : null)
const text = is((value) => typeof value === 'string', 'a string', (value) => typeof value === 'string' ? clean(value) : '')
const truth = is((value) => typeof value === 'boolean', 'true or false', (value) => value === true)
const anObject = is(isObject, 'an object', (value) => isObject(value) ? value : {})
const anArray = is(Array.isArray, 'an array', (value) => Array.isArray(value) ? value : [])

/** A URL, which may contain a password. */
const url = kind((value, path) => text(value, path), (value) => typeof value === 'string' ? cleanUrl(value) : '')

/** Accepted unchanged; the code that uses it validates it. */
const anything = kind(() => null, (value) => value)

/** May be missing or null. */
const maybe = (one) => kind((value, path) => isMissing(value) ? null : one(value, path), (value) => isMissing(value) ? null : one.read(value))

/** May be null, but not missing. */
const orNull = (one) => kind((value, path) => value === null ? null : one(value, path), maybe(one).read)

/** Accepts anything; an invalid value is read as null or empty. */
const loose = (one) => kind(() => null, maybe(one).read)

/** An array of one kind. If that is an object, `read` drops items that are not objects. */
const list = (one) => kind(
  (value, path) => anArray(value, path) ?? first(Array.from(value, (each, index) => [each, index, one]), path),
  (value) => anArray.read(value).filter((each) => !one.fields || isObject(each)).map(one.read)
)

/** An array of two items of one kind. */
const two = (one) => kind(
  (value, path) => list(one)(value, path) ?? (value.length === 2 ? null : { path, must: 'an array of two items', value }),
  (value) => Array.isArray(value) && value.length === 2 ? value.map(one.read) : null
)

/** An object with these fields; other fields are ignored. */
const object = (fields) => Object.assign(kind(
  (value, path) => anObject(value, path) ?? first(Object.entries(fields).map(([name, one]) => [own(value, name), name, one]), path),
  (value) => isObject(value) ? Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.read(own(value, name))])) : null
), { fields })

/** An object whose fields all have the same kind. */
const record = (one) => kind(
  (value, path) => anObject(value, path) ?? first(Object.entries(value).map(([name, each]) => [each, name, one]), path),
  (value) => Object.fromEntries(Object.entries(anObject.read(value)).filter(([, each]) => !one.fields || isObject(each)).map(([name, each]) => [clean(name), one.read(each)]))
)

/** One item or an array of items; `read` always returns an array. */
const oneOrMore = (one) => kind(
  (value, path) => Array.isArray(value) ? list(one)(value, path) : one(value, path),
  (value) => [value].flat().filter((each) => !isMissing(each)).map(one.read)
)

const isMissing = (value) => value === undefined || value === null
const own = (object, name) => Object.hasOwn(object, name) ? object[name] : undefined

function first (parts, path) {
  for (const [value, key, kind] of parts) {
    const flaw = kind(value, [...path, key])
    if (flaw !== null) return flaw
  }
  return null
}

/** Describes a flaw: 'rows[0].targets must be an array; it is missing'. */
function inWords ({ path, must, value }) {
  const name = path.map((key, index) => typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`).join('')
  return `${name || 'it'} must be ${must}; ${value === undefined ? 'it is missing' : `got ${show(value)}`}`
}

module.exports = { anything, inWords, kind, list, loose, maybe, number, object, oneOrMore, orNull, record, text, truth, two, url }
