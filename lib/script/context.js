'use strict'

/**
 * Returns a function that creates contexts: each connection gets a new one for each round of its sequence.
 *
 * @param {?object} initialContext
 * @returns {function(): object} returns a new copy each time. Arrays, plain objects, Maps, Sets, Dates and bytes are
 *   copied to any depth; functions and instances of other classes are shared
 */
function contextMaker (initialContext) {
  if (initialContext === null) return () => ({})
  // Most contexts are flat, and a flat one can be copied faster.
  const isFlat = Object.values(initialContext).every((value) => value === null || typeof value !== 'object')
  return isFlat ? () => ({ ...initialContext }) : () => copy(initialContext, new Map())
}

// structuredClone cannot do this: it rejects functions, and it drops the class of objects.
function copy (value, copies) {
  if (value === null || typeof value !== 'object') return value
  if (copies.has(value)) return copies.get(value)
  const copied = emptyCopy(value)
  copies.set(value, copied)
  if (value instanceof Map) {
    for (const [key, item] of value) copied.set(copy(key, copies), copy(item, copies))
  } else if (value instanceof Set) {
    for (const item of value) copied.add(copy(item, copies))
  } else if (Array.isArray(value) || isPlain(value)) {
    for (const key of Object.keys(value)) copied[key] = copy(value[key], copies)
  }
  return copied
}

function emptyCopy (value) {
  if (Array.isArray(value)) return []
  if (value instanceof Map) return new Map()
  if (value instanceof Set) return new Set()
  if (value instanceof Date) return new Date(value)
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Uint8Array.prototype.slice.call(value)
  return isPlain(value) ? {} : value
}

function isPlain (value) {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

module.exports = contextMaker
