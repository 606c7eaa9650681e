'use strict'

const packageFile = require('../../../package.json')

/** Programs and scripts that were written for autocannon call the command by this name. */
const AUTOCANNON = 'autocannon'
// Whose interface the command has under that name. Scripts read it in the first line.
const VERSION_OF_AUTOCANNON = '9.0.0'

/**
 * What `--version` says: this package and Node, a line each.
 *
 * @param {string} [name] the name that the command was called by
 */
function versionText (name) {
  const own = `${packageFile.name} v${packageFile.version}\n`
  const node = `node ${process.version}\n`
  return name === AUTOCANNON ? `${AUTOCANNON} v${VERSION_OF_AUTOCANNON}\n${node}${own}` : own + node
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

module.exports = { AUTOCANNON, asksForVersion, versionText }
