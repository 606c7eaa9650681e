'use strict'

const { badThreshold } = require('../base/errors')
const { findField } = require('./names')
const { readLimit } = require('./units')

const FORM = "a threshold is a field, an operator and a limit, such as 'p99 < 50ms'"

// Accepted spellings of operators, and their names in a result.
const OPERATORS = new Map([
  ['<', '<'], ['<=', '<='], ['\u2264', '<='], ['>', '>'], ['>=', '>='], ['\u2265', '>='],
  ['==', '=='], ['=', '=='], ['===', '=='], ['!=', '!='], ['!==', '!=']
])
const OPERATOR = /[<>=!\u2264\u2265]+/
// A quoted title in brackets may contain any of the characters of operators.
const NAME = /^(?:[^<>=!\u2264\u2265'"]|'[^']*'|"[^"]*")*/

/**
 * Parses and checks thresholds in any accepted form: a string ('p99 < 50ms'), `{ metric, operator, value }`,
 * `{ p99: '< 50ms', errors: 0 }` (a limit without an operator means equality), or an array of these.
 *
 * @param {string|object|Array<string|object>} written
 * @returns {object[]} plain data: `{ threshold, metric, operator, limit, unit, field }`; `threshold` is the original text
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD
 */
function parseThresholds (written) {
  return [written].flat().flatMap((one) => {
    if (typeof one === 'string') return [fromText(one)]
    if (one === null || typeof one !== 'object') throw badThreshold(one, FORM)
    if (one.field !== undefined && one.threshold !== undefined) return [one]
    return 'metric' in one ? [fromObject(one)] : fromEntries(one)
  })
}

function fromText (threshold) {
  const [name] = NAME.exec(threshold)
  const operator = OPERATOR.exec(threshold.slice(name.length))
  if (operator === null || operator.index > 0 || name.trim() === '') throw badThreshold(threshold, FORM)
  return compose(threshold, name.trim(), operator[0], threshold.slice(name.length + operator[0].length))
}

function fromObject ({ metric, operator, value }) {
  const threshold = `${metric} ${operator} ${value}`
  if (typeof metric !== 'string' || metric.trim() === '' || typeof operator !== 'string' || !isLimit(value)) {
    throw badThreshold(threshold, "an object has a metric, an operator and a value, such as { metric: 'p99', operator: '<', value: '50ms' }")
  }
  return compose(threshold, metric.trim(), operator.trim(), value)
}

function fromEntries (object) {
  const entries = Object.entries(object)
  if (entries.length === 0) throw badThreshold(object, FORM)
  return entries.flatMap(([name, limits]) => [limits].flat().map((limit) => {
    if (!isLimit(limit)) throw badThreshold(object, FORM)
    return fromText(OPERATOR.test(limit) ? `${name} ${limit}` : `${name} == ${limit}`)
  }))
}

function isLimit (value) {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function compose (threshold, name, sign, written) {
  const operator = OPERATORS.get(sign)
  if (operator === undefined) throw badThreshold(threshold, `${sign} is not an operator: use <, <=, >, >=, == or !=`)
  const field = findField(name, threshold)
  const { limit, unit } = readLimit(written, field, threshold)
  if (field.kind === 'truth' && operator !== '==' && operator !== '!=') {
    throw badThreshold(threshold, `${field.metric} is true or false: compare it with == or !=`)
  }
  return { threshold: threshold.trim(), metric: field.metric, operator, limit, unit, field }
}

module.exports = { parseThresholds }
