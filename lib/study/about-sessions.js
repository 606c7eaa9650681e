'use strict'

/**
 * What the rates of a study are of, where it is not requests.
 *
 * @param {object[]} targets with their plans
 * @returns {object[]} warnings
 */
function aboutSessions (targets) {
  if (targets.every(({ plan }) => plan.sessions === null)) return []
  return [{ code: 'RATES_OF_SESSIONS', message: 'With sessions the rates here are of sessions: where requests per second are spoken of, they are users who arrive in a second. A rate is kept up with where as many of them are done, in the time that their pauses leave.' }]
}

module.exports = aboutSessions
