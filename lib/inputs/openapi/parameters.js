'use strict'

const { isObject } = require('../../values/kinds')
const { badDocument } = require('./bad-document')
const { exampleOf, valueOf } = require('./examples')

// The specification says to ignore these header parameters: other parts of the document describe them.
const ELSEWHERE = new Set(['accept', 'content-type', 'authorization'])

const encode = encodeURIComponent
const DELIMITERS = { spaceDelimited: '%20', pipeDelimited: '|' }

/**
 * Returns the path of an operation with parameters replaced by values.
 *
 * @param {{ path: string, values: object }} operation
 * @param {object[]} parameters the path parameters
 * @param {string} where 'GET /pets/{id}'
 * @param {string} name of the document
 */
function pathOf ({ path, values = {} }, parameters, where, name) {
  return path.replace(/\{([^{}]*)\}/g, (_, variable) => {
    if (values[variable] !== undefined) return values[variable]
    const parameter = parameters.find((each) => each.name === variable)
    const value = parameter && valueIn(parameter)
    if (value === undefined) throw badDocument(name, `has no example for {${variable}} of ${where}: write a value in its place, as in ${path.replace(/\{[^{}]*\}/g, '1')}`)
    return plain(value, parameter, where, name)
  })
}

/** Returns the query including '?'; '' if there is none. */
function queryOf (parameters, where, name) {
  const pairs = parameters.flatMap((parameter) => {
    const value = neededValue(parameter, where, name)
    return value === undefined ? [] : pairsOf(parameter, value, where, name)
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function pairsOf (parameter, value, where, name) {
  const { name: key, style = 'form', explode = style === 'form' } = parameter
  if (Array.isArray(value)) {
    const items = value.map((item) => encode(atom(item, parameter, where, name)))
    return explode ? items.map((item) => `${encode(key)}=${item}`) : [`${encode(key)}=${items.join(DELIMITERS[style] ?? ',')}`]
  }
  if (!isObject(value)) return [`${encode(key)}=${encode(atom(value, parameter, where, name))}`]
  const entries = Object.entries(value).map(([part, item]) => [encode(part), encode(atom(item, parameter, where, name))])
  if (style === 'deepObject') return entries.map(([part, item]) => `${encode(key)}[${part}]=${item}`)
  return explode ? entries.map((entry) => entry.join('=')) : [`${encode(key)}=${entries.flat().join(',')}`]
}

/** Returns the headers by name. */
function headersOf (parameters, where, name) {
  const headers = {}
  for (const parameter of parameters.filter((each) => !ELSEWHERE.has(each.name.toLowerCase()))) {
    const value = neededValue(parameter, where, name)
    if (value !== undefined) headers[parameter.name] = simple(value, parameter, where, name)
  }
  return headers
}

/** Returns `{ Cookie }` if there are cookies, else `{}`. */
function cookieOf (parameters, where, name) {
  const cookies = parameters.map((parameter) => [parameter, neededValue(parameter, where, name)]).filter(([, value]) => value !== undefined)
  return cookies.length === 0 ? {} : { Cookie: cookies.map(([parameter, value]) => `${parameter.name}=${encode(simple(value, parameter, where, name))}`).join('; ') }
}

// A required parameter must have a value; an optional one is sent only if the document has an example.
function neededValue (parameter, where, name) {
  const value = valueIn(parameter)
  if (value === undefined && parameter.required) throw badDocument(name, `has no example for the ${parameter.in} parameter ${parameter.name} of ${where}`)
  return value
}

// A parameter may be described by a content type instead of a schema; it is serialized as JSON.
function valueIn ({ required, content, ...described }) {
  const [media] = Object.values(content ?? {})
  const value = (required ? valueOf : exampleOf)(media ?? described)
  return media === undefined || value === undefined ? value : JSON.stringify(value)
}

// Serializes a path parameter in the style `simple`: 'a', 'a,b' or 'name,value'; with explode 'name=value'.
function plain (value, parameter, where, name) {
  const { name: key, style = 'simple', explode = false } = parameter
  if (style !== 'simple') throw badDocument(name, `writes {${key}} of ${where} in the style ${style}, which is not supported: write the path with its values`)
  return parts(value, explode, (item) => encode(atom(item, parameter, where, name))).join(',')
}

function simple (value, parameter, where, name) {
  return parts(value, parameter.explode === true, (item) => atom(item, parameter, where, name)).join(',')
}

function parts (value, explode, write) {
  if (Array.isArray(value)) return value.map(write)
  if (!isObject(value)) return [write(value)]
  const entries = Object.entries(value).map(([part, item]) => [part, write(item)])
  return explode ? entries.map((entry) => entry.join('=')) : entries.flat()
}

function atom (value, { name: key }, where, name) {
  if (typeof value === 'object' && value !== null) throw badDocument(name, `has a nested value as the example for ${key} of ${where}, which a parameter cannot represent`)
  return String(value)
}

module.exports = { cookieOf, headersOf, pathOf, queryOf }
