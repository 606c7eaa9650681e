'use strict'

const { shareableOptions } = require('../../outside/options')
const { SHOWN } = require('../shown')
const { shown } = require('./markup')

// Options that the conditions already show, that concern only the display, or that are of no use to a reader.
const LEFT_OUT = new Set([
  'url', 'title', 'duration', 'workers', 'sampleInt', 'pipelining', 'warmup', 'thresholds',
  'json', 'html', 'csv', 'live', 'statusInterval', ...SHOWN.map(({ name }) => name), 'progressBarString', 'verbose', 'debug', 'forever',
  'socketPath', 'baseline', 'maxRegression', 'strict'
])
const LONGEST = 200

/**
 * Returns the options of a run for display: without secrets, and without the contents of keys and bodies.
 *
 * @param {object} options as given to `run`, `instance.opts`, or those of a result
 * @returns {Array<[string, string]>} names and values
 */
function listedOptions (options) {
  return Object.entries(shareableOptions(options))
    .filter(([name, value]) => !LEFT_OUT.has(name) && isWorthShowing(value) && !(name === 'requests' && value.length === 1))
    .map(([name, value]) => [shown(name), cut(inWords(name, value))])
}

function isWorthShowing (value) {
  if (value === false || value === '') return false
  return value === null || typeof value !== 'object' || Object.keys(value).length > 0
}

function inWords (name, value) {
  if (typeof value === 'string') return shown(value)
  if (name === 'tlsOptions') return `with ${Object.keys(value).map(shown).join(', ')}`
  if (name === 'requests' && Array.isArray(value)) return `${value.length} in sequence`
  if (name === 'headers' && !Array.isArray(value) && typeof value === 'object') {
    return Object.entries(value).map(([header, text]) => `${shown(header)}: ${shown(text)}`).join('; ')
  }
  return shown(JSON.stringify(value))
}

function cut (text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

module.exports = { listedOptions }
