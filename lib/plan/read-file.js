'use strict'

const fs = require('node:fs')
const { optionProblem, whyUnreadable } = require('../base/errors')

/**
 * The bytes of a file that the user has named.
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
    throw optionProblem(what, `Failed to load ${what} file: '${path}': ${whyUnreadable(cause)}`, { cause })
  }
}

module.exports = { readFile }
