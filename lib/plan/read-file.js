'use strict'

const fs = require('node:fs')
const { optionProblem, whyUnreadable } = require('../base/errors')

/**
 * Reads a file that the user named.
 *
 * @param {string} path
 * @param {string} what the file's purpose in one word, for errors
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
