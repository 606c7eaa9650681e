'use strict'

const { SECRET, shown, shownUrl } = require('./markup')

// What stands among the conditions already, belongs to the report itself, or is of no use to a reader.
const LEFT_OUT = new Set([
  'url', 'title', 'duration', 'workers', 'sampleInt', 'pipelining', 'warmup', 'signal', 'outputStream', 'thresholds',
  'json', 'html', 'csv', 'live', 'statusInterval', 'renderProgressBar', 'renderResultsTable', 'renderLatencyTable',
  'renderStatusCodes', 'progressBarString', 'verbose', 'debug', 'forever', 'socketPath', 'baseline', 'maxRegression'
])
// May be anything, and long.
const CONTENTS = new Set(['body', 'form', 'har'])
const HIDDEN = '(not shown)'
const LONGEST = 200

/**
 * The options of a run as a reader may see them: without secrets, without the contents of keys and bodies.
 *
 * @param {object} options as given to `run`, or `instance.opts`
 * @returns {Array<[string, string]>} by name
 */
function listedOptions (options) {
  return Object.entries(options)
    .filter(([name, value]) => !LEFT_OUT.has(name) && isWorthShowing(value) && !(name === 'requests' && value.length === 1))
    .map(([name, value]) => [shown(name), cut(shown(inWords(name, value)))])
}

function isWorthShowing (value) {
  if (value === undefined || value === null || value === false || value === '') return false
  return typeof value !== 'object' || value instanceof Uint8Array || Object.keys(value).length > 0
}

function inWords (name, value) {
  if (name === 'tlsOptions') return `with ${Object.keys(value).join(', ')}`
  if (name === 'requests' && Array.isArray(value)) return `${value.length} in sequence`
  const harmless = disarmed(value, name)
  if (name === 'headers' && !Array.isArray(value) && typeof value === 'object') {
    return Object.entries(harmless).map(([header, text]) => `${header}: ${text}`).join('; ')
  }
  return typeof harmless === 'string' ? harmless : JSON.stringify(harmless)
}

// Functions, bodies and secrets are said to be there.
function disarmed (value, name) {
  if (SECRET.test(name)) return HIDDEN
  if (typeof value === 'function') return `(function ${value.name || 'without a name'})`
  if (value instanceof Uint8Array) return `(${value.length} bytes)`
  if (CONTENTS.has(name)) return `(${Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value) ?? '')} bytes)`
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:[\\/]/i.test(value) ? shownUrl(value) : value
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map((part) => disarmed(part, name))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, disarmed(part, key)]))
}

function cut (text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

module.exports = { listedOptions }
