'use strict'

const { isObject } = require('../plan/kinds')

// Of each of these, one says what the others would say as well.
const ALTERNATIVES = [['stages', 'bursts', 'overallRate', 'connectionRate'], ['amount', 'duration'], ['body', 'form']]
// Values whose parts come from several flags.
const IN_PARTS = ['tlsOptions', 'sessions', 'stream', 'grpc', 'dashboard', 'prometheus']
// Of these a value without parts stands for one of them.
const SHORT_FOR = { dashboard: 'port', prometheus: 'port', stream: 'events' }

/**
 * Options over other options: header by header, and part by part where a value has parts. What says when requests are due
 * replaces whatever said it before, and so does what says how long a run is.
 *
 * @param {object} lower
 * @param {object} upper goes before
 * @returns {object} a new object
 */
function over (lower, upper) {
  const layered = { ...lower, ...upper }
  for (const names of ALTERNATIVES) {
    if (names.some((name) => isGiven(upper[name]))) for (const name of names) if (!isGiven(upper[name])) delete layered[name]
  }
  for (const name of IN_PARTS) {
    const [below, above] = [lower[name], upper[name]].map((value) => asObject(value, SHORT_FOR[name]))
    if (isObject(below) && isObject(above)) layered[name] = { ...below, ...above }
  }
  if (isGiven(lower.headers) && isGiven(upper.headers)) layered.headers = headersOver(lower.headers, upper.headers)
  return layered
}

const isGiven = (value) => value !== undefined && value !== null

// A port alone is an address, and the name of a kind of event a stream of them; `true` stands for no part.
function asObject (value, part) {
  if (part === undefined || isObject(value) || !isGiven(value) || value === false) return value
  return value === true ? {} : { [part]: value }
}

// A file may have them in any form that headers have, a line of curl and flags have an object.
function headersOver (lower, upper) {
  const above = pairsOf(upper)
  const own = new Set(above.map(([name]) => String(name).toLowerCase()))
  return Object.fromEntries([...pairsOf(lower).filter(([name]) => !own.has(String(name).toLowerCase())), ...above])
}

function pairsOf (headers) {
  if (typeof headers[Symbol.iterator] !== 'function') return Object.entries(headers)
  const items = [...headers]
  if (items.every(Array.isArray)) return items
  return items.flatMap((name, index) => index % 2 === 0 ? [[name, items[index + 1]]] : [])
}

module.exports = { over }
