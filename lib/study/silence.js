'use strict'

const { nounOf } = require('../words/noun')

/*
 * If there was no response at all, no rate would be low enough, and the bottleneck is unknown.
 */

/**
 * Returns why there was no response in a run, as far as it is known.
 *
 * @param {object} result of a run in which nothing completed
 * @returns {string} 'ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:80'
 */
function causeOf (result) {
  const { errorCodes, accounting, duration, drain } = result
  const [cause] = Object.entries(errorCodes ?? {})
  if (cause !== undefined) return `${cause[0]}: ${cause[1].message}`
  if (!(accounting?.sent > 0)) return `no ${nounOf(result)} could be sent`
  const seconds = Number(((duration ?? 0) + (drain?.seconds ?? 0)).toFixed(1))
  return `no response arrived within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
}

/**
 * @param {string} name of the target
 * @param {object} result in which nothing completed
 * @param {?string} where when it stopped responding, in words: 'at 50 requests per second'; null if it never responded
 * @returns {{ code: string, message: string }}
 */
function silenceWarning (name, result, where) {
  if (where === null) return { code: 'NO_ANSWER', message: `${name} did not respond at all (${causeOf(result)}).` }
  return { code: 'SERVER_GONE', message: `${name} stopped responding ${where} (${causeOf(result)}).` }
}

module.exports = { causeOf, silenceWarning }
