'use strict'

const packageFile = require('../../package.json')

/** What `--version` says: this package and Node, a line each. */
function versionText () {
  return `${packageFile.name} v${packageFile.version}\nnode ${process.version}\n`
}

/**
 * Whether nothing but the version is asked for. That is answered before the command is loaded, since scripts ask for it
 * only to see whether the command is there.
 *
 * @param {string[]} argv without the program's name
 */
function asksForVersion (argv) {
  return argv.length === 1 && (argv[0] === '-v' || argv[0] === '--version')
}

module.exports = { asksForVersion, versionText }
