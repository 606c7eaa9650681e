'use strict'

const { isGiven, isObject } = require('../values/kinds')
const { OPTIONS } = require('../plan/options')

const MERGED = OPTIONS.filter(({ isMerged }) => isMerged)
const ALTERNATIVES = OPTIONS.filter(({ group }) => group !== undefined)

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

// A port alone is an address, and the name of a kind of event a stream of them; `true` stands for no part.
function asObject (value, part) {
  if (isObject(value) || !isGiven(value) || value === false) return value
  if (value === true) return {}
  return part === undefined ? value : { [part]: value }
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
