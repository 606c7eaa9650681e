'use strict'

const path = require('node:path')
const { asksForVersion, versionText } = require('./shared/version')

/**
 * Executes a command line and exits the process.
 *
 * @param {string[]} argv without the program's name
 * @param {string} [name] the name that the command was called by, see as-autocannon.js
 */
function main (argv, name) {
  if (!asksForVersion(argv)) {
    require('../code-cache').load(path.join('lib', 'cli', 'index.js')).main(argv, name)
    return
  }
  // If the reader of stdout has gone away, there is nobody to report it to.
  process.stdout.on('error', () => {})
  process.stdout.write(versionText(name))
}

module.exports = main
