'use strict'

/**
 * Returns what the rates of a study refer to, for its result and its texts.
 *
 * @param {object[]} targets with their plans
 * @returns {'requests' | 'sessions' | 'messages' | 'arrivals'} the last one if this differs between targets
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
