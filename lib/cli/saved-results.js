'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { isResult, recognise } = require('../report/html/recognise')
const { checkWellFormed } = require('../report/well-formed')
const { readFile } = require('../plan/read-file')

/**
 * Parses results saved as JSON: one result, or one per line, as `--forever` writes them.
 *
 * @param {string} written
 * @param {string} name its name in errors
 * @returns {object[]} one or more results of runs or studies
 * @throws {CannonadeError} CANNONADE_BAD_RESULT
 */
function parseSaved (written, name) {
  const text = written.replace(/^\ufeff/, '')
  const parts = parse(text) ?? text.split('\n').filter((line) => line.trim() !== '').map((line) => parse(line)?.[0])
  if (parts.length === 0 || parts.includes(undefined)) throw badResult(name, 'it is not JSON')
  try {
    for (const part of parts) recognise(part)
  } catch {
    throw badResult(name, 'it is not the result of a run, a sweep, a capacity search or a comparison')
  }
  for (const part of parts.flat()) checkWellFormed(part, `The content of ${name}`)
  return parts
}

function parse (text) {
  try {
    return [JSON.parse(text)]
  } catch {
    return undefined
  }
}

function badResult (name, why) {
  return new CannonadeError(CODES.BAD_RESULT, `${name} contains no result: ${why}`)
}

/**
 * Reads the results of runs from a file: one, one per line, or an array of them.
 *
 * @param {string} file
 * @returns {object|object[]} one result, or several
 * @throws {CannonadeError} CANNONADE_BAD_RESULT; CANNONADE_BAD_OPTION if the file cannot be read
 */
function readRuns (file) {
  const results = parseSaved(readFile(file, 'result').toString(), `'${file}'`).flat()
  if (!results.every(isResult)) throw badResult(`'${file}'`, 'it is not the result of a run')
  return results.length === 1 ? results[0] : results
}

module.exports = { parseSaved, readRuns }
