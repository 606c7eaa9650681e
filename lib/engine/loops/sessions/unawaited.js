'use strict'

/*
 * Errors of calls that nobody awaits. The promise of a call is never an unhandled rejection, but user code may derive others from it, with
 * the same error: `user.get('/a').then(check)`, or an async function that is not awaited. A server that closes a connection, or the end of
 * the run, would end the process because of them.
 */

const harmless = new WeakSet()
let isListening = false

/** Keeps an error from ending the process. @param {Error} error of a call or a think time */
function keepHarmless (error) {
  harmless.add(error)
  if (isListening) return
  isListening = true
  process.on('unhandledRejection', rejected)
}

// Not removed at the end of a run, because code may go on after it. If nobody else listens, Node.js itself handles any other error.
function rejected (error) {
  if (isHarmless(error) || process.listenerCount('unhandledRejection') > 1) return
  isListening = false
  process.off('unhandledRejection', rejected)
  Promise.reject(error)
}

// Promise.any collects the errors of all its calls in one.
function isHarmless (error) {
  return harmless.has(error) || (error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isHarmless))
}

module.exports = { keepHarmless }
