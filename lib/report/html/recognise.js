'use strict'

const { CannonadeError, CODES } = require('../../base/errors')

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const isStatistics = (value) => isObject(value) && 'p50' in value

/** Whether a value looks like the result of a run of Cannonade or autocannon. */
const isResult = (value) => isObject(value) && isStatistics(value.latency) && isObject(value.requests)

const STUDIES = [
  { kind: 'sweep', is: ({ rows }) => Array.isArray(rows) },
  { kind: 'capacity', is: ({ steps }) => Array.isArray(steps) },
  { kind: 'jamming', is: ({ levels }) => Array.isArray(levels) },
  { kind: 'comparison', is: ({ metrics, sides }) => isObject(metrics) && Array.isArray(sides) }
]

/**
 * Determines what kind of report to create.
 *
 * @param {*} value
 * @returns {{ kind: string, content: * }} `kind` is one of the pages of html.js
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function recognise (value) {
  if (isResult(value)) return { kind: 'results', content: [value] }
  const study = STUDIES.find(({ kind, is }) => value?.kind === kind && is(value))
  if (study !== undefined) return { kind: study.kind, content: value }
  if (Array.isArray(value) && value.length > 0 && value.every(isResult)) return { kind: 'results', content: value }
  throw new CannonadeError(CODES.BAD_RESULT, 'a report needs the result of a run, a sweep, a capacity search, a search for the jamming ' +
    `threshold or a comparison; got ${what(value)}`)
}

function what (value) {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array with items that are not results'
  return isObject(value) ? 'an object without the fields of one' : String(value === null ? 'null' : typeof value)
}

module.exports = { isResult, recognise }
