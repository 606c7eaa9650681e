'use strict'

const fs = require('node:fs')

/**
 * Where the tables go: to stderr, where programs look for them and a terminal shows them; but where people write
 * `> result.txt`, into that file. What happens meanwhile stays on stderr.
 *
 * @returns {stream.Writable}
 */
function resultStream () {
  return isFile(process.stdout) ? process.stdout : process.stderr
}

// A device such as /dev/null is none.
function isFile ({ fd }) {
  try {
    return fs.fstatSync(fd).isFile()
  } catch {
    return false
  }
}

module.exports = { resultStream }
