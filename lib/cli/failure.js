'use strict'

const { CODES } = require('../base/errors')
const { clean } = require('../report/text')

// Errors that are caused by the command line or by a file that it names.
const MISUSE = new Set([CODES.BAD_OPTION, CODES.BAD_THRESHOLD, CODES.BAD_RESULT, CODES.MISSING_PACKAGE])

/**
 * Prints an error on stderr, in one line.
 *
 * @param {Error} error
 * @param {FlagWording} [wording] how the options were written
 * @returns {number} the exit code: 2 for bad options, 1 for anything else
 */
function printFailure (error, wording) {
  const message = error?.message && wording ? wording.messageOf(error) : error?.message
  process.stderr.write(`${clean(message || wordOf(error))}\n`)
  // A dashboard port that is already in use counts as a bad option too.
  const isPort = error?.code === CODES.SERVER_FAILED && error.option === 'dashboard'
  return isPort || MISUSE.has(error?.code) ? 2 : 1
}

// An error without a message, such as an AggregateError of several attempts to connect, would be shown with its stack trace.
function wordOf (error) {
  return error instanceof Error ? error.code ?? error.name : error
}

module.exports = { printFailure }
