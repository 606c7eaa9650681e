'use strict'

const fs = require('node:fs')

/**
 * Returns the stream for the tables: stderr, where programs expect them; but stdout if it is redirected to a file, as in
 * `> result.txt`. Progress always goes to stderr.
 *
 * @returns {stream.Writable}
 */
function resultStream () {
  return isFile(process.stdout) ? process.stdout : process.stderr
}

// Devices such as /dev/null do not count as files.
function isFile ({ fd }) {
  try {
    return fs.fstatSync(fd).isFile()
  } catch {
    return false
  }
}

module.exports = { resultStream }
