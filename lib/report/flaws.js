'use strict'

const { show } = require('../base/errors')
const { clean, cleanUrl } = require('./text')

/*
 * What a value from outside has to be like, as far as somebody relies on it. A kind is a function that looks at a value and the path
 * to it, and gives what is wrong with it as `{ path, must }`, or null. Its `read` makes of any value whatever one that can be relied
 * on: what is not as it should be is null, or empty, and what nobody knows is not there.
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

/** A URL, which may hold a password. */
const url = kind((value, path) => text(value, path), (value) => typeof value === 'string' ? cleanUrl(value) : '')

/** What is taken as it is, by whoever looks at it himself. */
const anything = kind(() => null, (value) => value)

/** What may be missing, or null. */
const maybe = (one) => kind((value, path) => isMissing(value) ? null : one(value, path), (value) => isMissing(value) ? null : one.read(value))

/** What may be null, but not missing. */
const orNull = (one) => kind((value, path) => value === null ? null : one(value, path), maybe(one).read)

/** What may be anything: whoever needs it does without, where it is something else. */
const loose = (one) => kind(() => null, maybe(one).read)

/** An array of these. Where these are objects, others are left out when it is read. */
const list = (one) => kind(
  (value, path) => anArray(value, path) ?? first(Array.from(value, (each, index) => [each, index, one]), path),
  (value) => anArray.read(value).filter((each) => !one.fields || isObject(each)).map(one.read)
)

/** Two of these. */
const two = (one) => kind(
  (value, path) => list(one)(value, path) ?? (value.length === 2 ? null : { path, must: 'an array of two items', value }),
  (value) => Array.isArray(value) && value.length === 2 ? value.map(one.read) : null
)

/** An object with these fields; others are nobody's business. */
const object = (fields) => Object.assign(kind(
  (value, path) => anObject(value, path) ?? first(Object.entries(fields).map(([name, one]) => [own(value, name), name, one]), path),
  (value) => isObject(value) ? Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.read(own(value, name))])) : null
), { fields })

/** An object of which each field is such a one. */
const record = (one) => kind(
  (value, path) => anObject(value, path) ?? first(Object.entries(value).map(([name, each]) => [each, name, one]), path),
  (value) => Object.fromEntries(Object.entries(anObject.read(value)).filter(([, each]) => !one.fields || isObject(each)).map(([name, each]) => [clean(name), one.read(each)]))
)

/** One, or an array of them; read, it is an array. */
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

/** A flaw in a sentence: 'rows[0].targets must be an array; it is missing'. */
function inWords ({ path, must, value }) {
  const name = path.map((key, index) => typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`).join('')
  return `${name || 'it'} must be ${must}; ${value === undefined ? 'it is missing' : `got ${show(value)}`}`
}

module.exports = { anything, inWords, list, loose, maybe, number, object, oneOrMore, orNull, record, text, truth, two, url }
