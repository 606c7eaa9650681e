'use strict'

const packageFile = require('../../../package.json')

/** Programs and scripts written for autocannon call the command by this name. */
const AUTOCANNON = 'autocannon'
// The autocannon version whose interface the command has under that name. Scripts read it from the first line.
const VERSION_OF_AUTOCANNON = '9.0.0'

/**
 * Returns the output of `--version`: this package and Node.js, one line each.
 *
 * @param {string} [name] the name that the command was called by
 */
function versionText (name) {
  const own = `${packageFile.name} v${packageFile.version}\n`
  const node = `node ${process.version}\n`
  return name === AUTOCANNON ? `${AUTOCANNON} v${VERSION_OF_AUTOCANNON}\n${node}${own}` : own + node
}

/** Flags that every command has. They print information instead of executing the command. */
const askFlags = Object.freeze([
  { letter: 'v', name: 'version', help: 'print the version' },
  { letter: 'h', name: 'help', takesTopic: true, isCommon: true, help: 'print help' }
])

module.exports = { AUTOCANNON, askFlags, versionText }
