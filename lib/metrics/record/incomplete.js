'use strict'

const { showPath } = require('../../base/errors')
const { counted } = require('../../words/numbers')

/**
 * The warning that a record lacks lines.
 *
 * @param {?{ leftOut: number, problem: ?string }} outcome of its file
 * @param {string} file
 * @returns {object[]} none if it is complete
 */
function recordIncomplete (outcome, file) {
  if (!outcome || outcome.leftOut === 0) return []
  const { leftOut, problem } = outcome
  const why = problem === null
    ? 'the disk was slower than the load, and more than 64 MiB were waiting to be written. Write to a faster disk, or record fewer requests.'
    : `writing failed (${problem}).`
  return [{ code: 'RECORD_INCOMPLETE', message: `${counted(leftOut, 'request')} ${leftOut === 1 ? 'is' : 'are'} missing from ${showPath(file)}: ${why} All numbers of the result include them.` }]
}

module.exports = recordIncomplete
