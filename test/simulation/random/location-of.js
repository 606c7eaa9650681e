'use strict'

/** Where an answer redirects to; null where it does not, or has not been read. */
function locationOf ({ answer, receivedAt }) {
  if (receivedAt === null || answer === null || typeof answer !== 'object' || Math.floor(answer.status / 100) !== 3) return null
  return answer.headers?.Location ?? null
}

module.exports = locationOf
