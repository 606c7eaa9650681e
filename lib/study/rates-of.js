'use strict'

/**
 * What comes due in the runs of a study: what its rates are of, as its result and its sentences say.
 *
 * @param {object[]} targets with their plans
 * @returns {'requests' | 'sessions' | 'messages' | 'arrivals'} the last one where the targets differ in this
 */
function ratesOf (targets) {
  const kinds = new Set(targets.map(({ plan }) => kindOf(plan)))
  return kinds.size === 1 ? [...kinds][0] : 'arrivals'
}

function kindOf ({ sessions, websocket }) {
  if (sessions !== null) return 'sessions'
  return websocket === null ? 'requests' : 'messages'
}

module.exports = ratesOf
