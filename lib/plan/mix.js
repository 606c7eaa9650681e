'use strict'

const { contradiction } = require('../base/errors')

/**
 * Plans a mix of weighted requests: instead of a sequence, each request that is sent is one of the entries, by weight.
 *
 * @param {object} options as read
 * @returns {?{ weights: number[] }} one weight for each entry of `requests`; null if none has one
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function planMix ({ requests, sessions, har, replay }) {
  const first = requests.findIndex(({ weight }) => weight !== undefined)
  if (first === -1 || replay !== null) return null
  const name = `requests[${first}].weight`
  if (sessions !== null) throw contradiction(name, 'sessions', 'a session sends its requests in order')
  if (har !== null) throw contradiction(name, 'har', 'a recording is sent in the order in which it was recorded')
  const pausing = requests.findIndex(({ thinkTime }) => thinkTime !== undefined)
  if (pausing !== -1) throw contradiction(name, `requests[${pausing}].thinkTime`, 'which request follows a pause is decided after it; set the think time of the run')
  return { weights: requests.map(({ weight = 1 }) => weight) }
}

module.exports = { planMix }
