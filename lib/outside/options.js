'use strict'

const { HIDDEN, commandWithoutSecrets, isSecret, urlWithoutSecrets, withoutSecrets, wordsWithoutSecrets } = require('./secrets')

// Only meaningful within the process, or for the report itself.
const LEFT_OUT = new Set(['signal', 'outputStream', 'diagnose'])
// May contain anything, and may be long: only their presence is shown.
const CONTENTS = new Set(['body', 'form', 'har', 'expectBody', 'feed'])
const MOST_ENTRIES = 100
const LONGEST_TEXT = 1000
const DEEPEST = 5

/**
 * Returns options that are safe to publish: plain data without secrets, and without the contents of bodies, forms, feeds and keys.
 * Placeholders show what was removed: `(7 bytes)`, `***`, `(function verify)`.
 *
 * @param {object} options the options of `run`, or `instance.opts`
 * @param {function(...string): boolean} [isOption] takes a name, and those within its value; values with other names might be
 *   secrets, and become `***`
 * @returns {object} without undefined and null values
 */
function shareableOptions (options, isOption = () => true) {
  return Object.fromEntries(Object.entries(options)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => [withoutSecrets(name), isOption(name) ? ofOption(name, value, (...names) => isOption(name, ...names)) : HIDDEN]))
}

// An option such as `cookies: true` isn't a secret despite its name, but a string with such a name may be one.
function ofOption (name, value, isKey) {
  if (CONTENTS.has(name)) return sizeOf(value)
  if (name === 'tlsOptions' && isFields(value)) return Object.fromEntries(Object.keys(value).map((key) => [key, HIDDEN]))
  if (typeof value === 'string' && isSecret(name)) return HIDDEN
  if (isCommand(name, value)) return listed(wordsWithoutSecrets(value))
  return shareable(value, '', 1, isKey)
}

function isCommand (name, value) {
  return name !== 'url' && name !== 'headers' && Array.isArray(value) && value.every((word) => typeof word === 'string')
}

function shareable (value, name, depth, isKey) {
  if (isSecret(name)) return HIDDEN
  if (typeof value === 'function') return `(function ${value.name || 'without a name'})`
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (CONTENTS.has(name)) return sizeOf(value)
  if (typeof value === 'string') return shareableText(value)
  if (typeof value !== 'object') return String(value)
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`
  if (value instanceof URL) return shareableText(value.href)
  if (depth >= DEEPEST) return '(more)'
  if (Array.isArray(value)) return shareableArray(value, depth, isKey)
  if (!isFields(value)) return `(${value.constructor?.name ?? 'an object'})`
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)
    .map(([key, part]) => [withoutSecrets(key), isKey(key) ? shareable(part, key, depth + 1, (...names) => isKey(key, ...names)) : HIDDEN]))
}

// Headers may be pairs, or alternating names and values: a value after the name of a secret is a secret.
function shareableArray (values, depth, isKey) {
  const isBehindSecret = (index) => index > 0 && typeof values[index - 1] === 'string' && /^[\w-]+$/.test(values[index - 1]) && isSecret(values[index - 1])
  return listed(values, (part, index) => isBehindSecret(index) ? HIDDEN : shareable(part, '', depth + 1, isKey))
}

function listed (values, show = (value) => value) {
  const shown = values.slice(0, MOST_ENTRIES).map(show)
  return values.length > MOST_ENTRIES ? [...shown, `(${values.length - MOST_ENTRIES} more)`] : shown
}

function shareableText (text) {
  const bare = /^[a-z][a-z0-9+.-]*:[\\/]/i.test(text) ? urlWithoutSecrets(text) : /\s-/.test(text) ? commandWithoutSecrets(text) : withoutSecrets(text)
  return bare.length > LONGEST_TEXT ? `${bare.slice(0, LONGEST_TEXT - 1)}…` : bare
}

function sizeOf (value) {
  if (typeof value === 'function') return `(function ${value.name || 'without a name'})`
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`
  if (typeof value === 'string') return `(${Buffer.byteLength(value)} bytes)`
  if (Array.isArray(value)) return `(${value.length} ${value.length === 1 ? 'entry' : 'entries'})`
  if (isFields(value)) return `(${bytesAsJSON(value)})`
  return typeof value === 'object' ? `(${value.constructor?.name ?? 'an object'})` : String(value)
}

function bytesAsJSON (value) {
  try {
    return `${Buffer.byteLength(JSON.stringify(value))} bytes`
  } catch {
    return 'an object'
  }
}

function isFields (value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

module.exports = { shareableOptions }
