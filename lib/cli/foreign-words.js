'use strict'

const { optionProblem, show } = require('../base/errors')

const ASSIGNMENT = /^[a-z]\w*=/i

/**
 * Throws if a word among the URLs is an option as another tool writes it, and says how it is written here: `URL 5` (openload) would
 * otherwise be a second server, and `url=localhost` (pound) the name of a host.
 *
 * @param {string[]} operands
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkForeignWords (operands) {
  const number = operands.slice(1).find((word) => /^\d+$/.test(word))
  if (number !== undefined) {
    throw optionProblem('url', `${show(number)} is not a URL: for ${number} connections, write cannonade -c ${number} URL; a port follows a colon, as in localhost:${number}`)
  }
  const assignments = operands.filter((word) => ASSIGNMENT.test(word))
  if (assignments.length === 0) return
  const instead = require('../compat/pound').fromPound(assignments)
  const [first] = assignments
  throw optionProblem('url', `${show(first)} is not a URL: ${instead === null ? 'options begin with dashes, as in -c 10' : `did you mean ${instead}?`}`)
}

module.exports = { checkForeignWords }
