'use strict'

const { asksForVersion, versionText } = require('./shared/version')

/**
 * The command: does what the words say, and ends the process.
 *
 * @param {string[]} argv without the program's name
 * @param {string} [name] the name it was called by, see as-autocannon.js
 */
function main (argv, name) {
  if (!asksForVersion(argv)) {
    require('.').main(argv, name)
    return
  }
  // Nobody is left to be told that its reader has gone away.
  process.stdout.on('error', () => {})
  process.stdout.write(versionText(name))
}

module.exports = main
