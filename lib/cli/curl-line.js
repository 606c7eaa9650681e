'use strict'

const { isGiven } = require('../values/kinds')
const { over } = require('./layers')

// Loaded only if needed, since few command lines use it.
const readCurl = (line) => require('../inputs/curl')(line)

/**
 * Adds the options that a curl command line describes. The given ones override them.
 *
 * @param {object} options with the line as `curl`, if there is one
 * @returns {object}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function withCurl (options) {
  return isGiven(options.curl) ? over(readCurl(options.curl), options) : options
}

/** Says on stderr which options of the curl command line have no effect. */
function warnOfIgnored ({ curl }) {
  const ignored = isGiven(curl) ? readCurl(curl).ignored : []
  if (ignored.length > 0) process.stderr.write(`Ignored curl options: ${ignored.join(', ')}\n`)
}

module.exports = { warnOfIgnored, withCurl }
