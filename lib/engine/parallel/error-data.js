'use strict'

const { CannonadeError, CODES, Sentence, failureInWords, reasonOf, sentenceOf } = require('../../base/errors')

/*
 * Converts errors for transfer between threads; structured cloning would lose their class and code.
 */

function toData (error) {
  const { code, message, stack, option, cause } = error
  return { code, message, sentence: sentenceOf(error)?.toData(), stack, option, cause: cloneable(cause) }
}

// User code may throw anything, including values that cannot be cloned.
function cloneable (cause) {
  try {
    return structuredClone(cause)
  } catch {
    return reasonOf(cause)
  }
}

/** Restores the error from its data. */
function fromData ({ code, message, sentence, stack, option, cause }) {
  const error = new CannonadeError(code ?? CODES.WORKER_FAILED, sentence === undefined ? message : Sentence.from(sentence), {
    ...(option !== undefined && { option }),
    ...(cause !== undefined && { cause })
  })
  error.stack = stack
  return error
}

/**
 * The error for a thread that failed.
 *
 * @param {*} cause what the thread threw
 * @returns {CannonadeError} code CANNONADE_WORKER_FAILED
 */
function workerFailed (cause) {
  return new CannonadeError(CODES.WORKER_FAILED, `A worker thread failed: ${failureInWords(cause)}`, { cause })
}

module.exports = { toData, fromData, workerFailed }
