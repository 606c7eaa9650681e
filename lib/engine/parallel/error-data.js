'use strict'

const { CannonadeError, CODES, Sentence, reasonOf, sentenceOf } = require('../../base/errors')

/*
 * Errors on their way between threads. Sent as they are they would lose their class and their code.
 */

/** An error as plain data. */
function toData (error) {
  const { code, message, stack, option, cause } = error
  return { code, message, sentence: sentenceOf(error)?.toData(), stack, option, cause: cloneable(cause) }
}

// What a user's code throws may be anything.
function cloneable (cause) {
  try {
    return structuredClone(cause)
  } catch {
    return String(cause)
  }
}

/** The error that the data came from. */
function fromData ({ code, message, sentence, stack, option, cause }) {
  const error = new CannonadeError(code ?? CODES.WORKER_FAILED, sentence === undefined ? message : Sentence.from(sentence), {
    ...(option !== undefined && { option }),
    ...(cause !== undefined && { cause })
  })
  error.stack = stack
  return error
}

/**
 * A thread is of no use any more.
 *
 * @param {*} cause what was thrown there
 * @returns {CannonadeError} code CANNONADE_WORKER_FAILED
 */
function workerFailed (cause) {
  return new CannonadeError(CODES.WORKER_FAILED, `A worker thread failed: ${reasonOf(cause)}`, { cause })
}

module.exports = { toData, fromData, workerFailed }
