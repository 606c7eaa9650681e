'use strict'

const { asksForVersion, versionText } = require('./version')

/**
 * The command: does what the words say, and ends the process.
 *
 * @param {string[]} argv without the program's name
 */
function main (argv) {
  if (!asksForVersion(argv)) {
    require('.').main(argv)
    return
  }
  // Nobody is left to be told that its reader has gone away.
  process.stdout.on('error', () => {})
  process.stdout.write(versionText())
}

module.exports = main
