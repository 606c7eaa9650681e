'use strict'

const { showPath } = require('../../base/errors')
const { counted } = require('../../words/numbers')

/**
 * The warning that a record lacks lines.
 *
 * @param {?{ leftOut: number, problem: ?string, lost: (number|undefined) }} outcome of its file; `lost` only of a fleet: how many
 *   requests of lost agents have no line
 * @param {string} file
 * @returns {object[]} none if it is complete
 */
function recordIncomplete (outcome, file) {
  const { leftOut, lost = 0 } = outcome ?? { leftOut: 0 }
  const missing = leftOut + lost
  if (missing === 0) return []
  const why = leftOut === 0 ? `${missing === 1 ? 'its agent was' : 'their agents were'} lost.` : whyLeftOut(outcome)
  const ofLost = leftOut > 0 && lost > 0 ? `the agents of ${lost} of them were lost, and ` : ''
  return [{ code: 'RECORD_INCOMPLETE', message: `${counted(missing, 'request')} ${missing === 1 ? 'is' : 'are'} missing from ${showPath(file)}: ${ofLost}${why} All numbers of the result include them.` }]
}

function whyLeftOut ({ problem, lost }) {
  if (problem !== null) return `writing failed (${problem}).`
  return lost === undefined
    ? 'the disk was slower than the load, and more than 64 MiB were waiting to be written. Write to a faster disk, or record fewer requests.'
    : 'Redis or the disk was slower than the load, and more than 64 MiB were waiting on one machine. Record fewer requests.'
}

module.exports = recordIncomplete
