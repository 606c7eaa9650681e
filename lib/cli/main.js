'use strict'

const path = require('node:path')

/**
 * Executes a command line and exits the process.
 *
 * @param {string[]} argv without the program's name
 * @param {string} [name] the name that the command was called by, see as-autocannon.js
 */
function main (argv, name) {
  if (!asksForVersion(argv)) {
    const { load, save } = require('../code-cache/index.js')
    process.on('exit', save)
    load(path.join('lib', 'cli', 'index.js')).main(argv, name)
    return
  }
  // If the reader of stdout has gone away, there is nobody to report it to.
  process.stdout.on('error', () => {})
  const { versionText } = require('./shared/version')
  process.stdout.write(versionText(name))
}

/**
 * Whether a command line asks only for the version. Scripts do so to check that the command exists, so it is printed
 * without loading the command.
 *
 * @param {string[]} argv without the program's name
 */
function asksForVersion (argv) {
  return argv.length === 1 && (argv[0] === '-v' || argv[0] === '--version')
}

module.exports = main
