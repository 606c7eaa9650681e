'use strict'

const { asksForVersion, versionText } = require('./version')

/**
 * The command: does what the words say, and ends the process.
 *
 * @param {string[]} argv without the program's name
 */
function main (argv) {
  if (asksForVersion(argv)) process.stdout.write(versionText())
  else require('.').main(argv)
}

module.exports = main
