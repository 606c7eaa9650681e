'use strict'

const { CODES } = require('../base/errors')
const { clean } = require('../report/text')

// What only the user's words can be to blame for, a file that they name among them.
const MISUSE = new Set([CODES.BAD_OPTION, CODES.BAD_THRESHOLD, CODES.BAD_RESULT, CODES.MISSING_PACKAGE])

/**
 * Says on stderr, in one line, what went wrong.
 *
 * @param {Error} error
 * @param {FlagWording} [wording] how the options were written
 * @returns {number} the exit code for it: 2 for wrong options, 1 for anything else
 */
function tellFailure (error, wording) {
  const message = error?.message && wording ? wording.messageOf(error) : error?.message
  process.stderr.write(`${clean(message || error)}\n`)
  // A port of the user's choice that is taken is a wrong option as well.
  const isPort = error?.code === CODES.SERVER_FAILED && error.option === 'dashboard'
  return isPort || MISUSE.has(error?.code) ? 2 : 1
}

module.exports = { tellFailure }
