'use strict'

const { isGiven, isObject } = require('../values/kinds')
const { OPTIONS } = require('../plan/options')

const MERGED = OPTIONS.filter(({ isMerged }) => isMerged)
const ALTERNATIVES = OPTIONS.filter(({ group }) => group !== undefined)

/**
 * Merges two layers of options: header by header, and part by part if a value has parts. An option that defines when
 * requests are due replaces every alternative in the lower layer, and so does one that defines the length of the run.
 *
 * @param {object} lower
 * @param {object} upper takes precedence
 * @returns {object} a new object
 */
function over (lower, upper) {
  const layered = { ...lower, ...upper }
  for (const { name, group } of ALTERNATIVES) {
    if (!isGiven(upper[name]) && ALTERNATIVES.some((other) => other.group === group && isGiven(upper[other.name]))) delete layered[name]
  }
  for (const { name, shorthand } of MERGED) {
    const [below, above] = [lower[name], upper[name]].map((value) => asObject(value, shorthand))
    if (isObject(below) && isObject(above)) layered[name] = { ...below, ...above }
  }
  if (isGiven(lower.headers) && isGiven(upper.headers)) layered.headers = headersOver(lower.headers, upper.headers)
  return layered
}

// Converts shorthand values to objects, so that they can be merged: a port, or the name of an event kind, becomes its
// part, and `true` becomes an empty object.
function asObject (value, part) {
  if (isObject(value) || !isGiven(value) || value === false) return value
  if (value === true) return {}
  return part === undefined ? value : { [part]: value }
}

// A config file may give headers in any of their forms; curl commands and flags give an object.
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
