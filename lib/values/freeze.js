'use strict'

// Only arrays and objects as created by literals. Freezing anything else (a Buffer cannot be frozen, a SecureContext
// must not be) would throw, or change objects that belong to somebody else.
function isPlain (value) {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Copies plain objects and arrays recursively, so that freezing the copy leaves the user's own object unchanged.
 * Everything else (bytes, functions, instances of classes) is referenced and not copied.
 *
 * @param {*} value
 * @returns {*}
 */
function copyPlain (value, copies = new Map()) {
  if (!isPlain(value)) return value
  if (copies.has(value)) return copies.get(value)
  const copy = Array.isArray(value) ? [] : {}
  copies.set(value, copy)
  for (const key of Object.keys(value)) {
    // defineProperty, because an assignment to a key named __proto__ would change the prototype instead
    Object.defineProperty(copy, key, {
      value: copyPlain(value[key], copies), enumerable: true, configurable: true, writable: true
    })
  }
  return copy
}

/**
 * Freezes plain objects and arrays recursively, and leaves everything else unchanged.
 *
 * @param {*} value
 * @returns {*} the same value
 */
function deepFreeze (value) {
  if (!isPlain(value) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze(value[key])
  return value
}

module.exports = { copyPlain, deepFreeze }
