'use strict'

/** The target of a redirect; null if a response is not one, or was not read. */
function locationOf ({ answer, receivedAt }) {
  if (receivedAt === null || answer === null || typeof answer !== 'object' || Math.floor(answer.status / 100) !== 3) return null
  return answer.headers?.Location ?? null
}

module.exports = locationOf
