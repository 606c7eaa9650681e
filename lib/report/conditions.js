'use strict'

const { shareableOptions } = require('../outside/options')
const { NOTHING } = require('../words/numbers')
const { inTexts, long } = require('./document')
const { SHOWN } = require('./shown')
const { clean: shown } = require('./text')

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
  return typeof value !== 'object' || Object.keys(value).length > 0
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

/**
 * Returns a table of the options of runs, side by side if there are several.
 *
 * @param {Array<{ name: string, options: ?object }>} runs
 * @returns {?object} null if none are known
 */
function optionTable (runs) {
  const known = runs.filter(({ options }) => options !== null && typeof options === 'object')
  if (known.length === 0) return null
  const columns = known.map(({ name, options }) => ({ name, rows: listedOptions(options) }))
  return { isCaptionSeen: true, ...sideBySide('Options used', 'Option', columns, true) }
}

/**
 * Returns a table of the conditions of a study or of runs, side by side if there are several.
 *
 * @param {string} kind of the report
 * @param {Array<{ name: string, rows: Array<[string, string]> }>} columns
 */
function conditionTable (kind, columns) {
  return sideBySide(`Conditions of the ${kind}`, 'Condition', columns)
}

const LONGEST_NAME = 20

function sideBySide (caption, what, columns, isCode) {
  const values = columns.map(({ rows }) => new Map(rows.filter((row) => row && row[1])))
  const names = [...new Set(values.flatMap((column) => [...column.keys()]))]
  const isOne = columns.length === 1
  return {
    caption,
    isHeadHeard: isOne,
    isStacked: !isOne,
    columns: [...inTexts([what]), ...columns.map(({ name }) => ({ name: isOne ? 'Value' : name, className: '' }))],
    rows: names.map((name) => [
      { value: name, isCode, className: !isCode && name.length > LONGEST_NAME ? 'long' : 'short' },
      ...values.map((column) => long(column.get(name) ?? NOTHING))
    ])
  }
}

module.exports = { conditionTable, optionTable }
