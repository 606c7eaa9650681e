'use strict'

const fs = require('node:fs')
const { CannonadeError, CODES } = require('../errors')

const REASONS = new Map([
  ['ENOENT', 'it does not exist'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'this user may not read it']
])

/**
 * The bytes of a file named on the command line.
 *
 * @param {string} path
 * @param {string} what what it is for, in a word
 * @returns {Buffer}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readFile (path, what) {
  try {
    return fs.readFileSync(path)
  } catch (cause) {
    const reason = REASONS.get(cause.code) ?? cause.message
    throw new CannonadeError(CODES.BAD_OPTION, `Failed to load ${what} file: '${path}': ${reason}`, { cause, option: what })
  }
}

module.exports = { readFile }
