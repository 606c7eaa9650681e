'use strict'

const { show } = require('../base/errors')

/*
 * What a value from outside has to be like, as far as somebody relies on it. A kind is a function that looks at a value and
 * the path to it, and gives what is wrong with it as `{ path, must }`, or null.
 */

const is = (test, must) => (value, path) => test(value) ? null : { path, must, value }

const number = is((value) => typeof value === 'number' && Number.isFinite(value), 'a number')
const text = is((value) => typeof value === 'string', 'a text')
const truth = is((value) => typeof value === 'boolean', 'true or false')
const anObject = is((value) => value !== null && typeof value === 'object' && !Array.isArray(value), 'an object')
const anArray = is(Array.isArray, 'an array')

/** What may be missing, or null. */
const maybe = (kind) => (value, path) => value === undefined || value === null ? null : kind(value, path)

/** What may be null, but not missing. */
const orNull = (kind) => (value, path) => value === null ? null : kind(value, path)

/** An array of these. */
const list = (kind) => (value, path) => anArray(value, path) ?? first(Array.from(value, (each, index) => [each, index, kind]), path)

/** An object with these fields; others are nobody's business. */
const object = (fields) => (value, path) => anObject(value, path) ??
  first(Object.entries(fields).map(([name, kind]) => [own(value, name), name, kind]), path)

/** An object of which each field is such a one. */
const record = (kind) => (value, path) => anObject(value, path) ??
  first(Object.entries(value).map(([name, each]) => [each, name, kind]), path)

/** One, or an array of them. */
const oneOrMore = (kind) => (value, path) => Array.isArray(value) ? list(kind)(value, path) : kind(value, path)

const own = (object, name) => Object.hasOwn(object, name) ? object[name] : undefined

function first (parts, path) {
  for (const [value, key, kind] of parts) {
    const flaw = kind(value, [...path, key])
    if (flaw !== null) return flaw
  }
  return null
}

/** A flaw in a sentence: 'rows[0].targets must be an array, but it is missing'. */
function inWords ({ path, must, value }) {
  const name = path.map((key, index) => typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`).join('')
  return `${name || 'it'} must be ${must}, but it is ${value === undefined ? 'missing' : show(value)}`
}

module.exports = { inWords, list, maybe, number, object, oneOrMore, orNull, record, text, truth }
