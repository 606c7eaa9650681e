'use strict'

const { CODES } = require('../errors')
const { clean } = require('../report/text')
const Spoken = require('./spoken')

// What only the user's words can be to blame for, a file that they name among them.
const MISUSE = new Set([CODES.BAD_OPTION, CODES.BAD_THRESHOLD, CODES.BAD_RESULT, CODES.MISSING_PACKAGE])

/**
 * Says on stderr, in one line, what went wrong.
 *
 * @param {Error} error
 * @param {Spoken} [spoken] how the options were written
 * @returns {number} the exit code for it: 2 for wrong options, 1 for anything else
 */
function tellFailure (error, spoken = new Spoken([])) {
  process.stderr.write(`${spoken.say(clean(error?.message || error), error ?? undefined)}\n`)
  // A port of the user's choice that is taken is a wrong option as well.
  const isPort = error?.code === CODES.SERVER_FAILED && error.option === 'dashboard'
  return isPort || MISUSE.has(error?.code) ? 2 : 1
}

module.exports = { tellFailure }
