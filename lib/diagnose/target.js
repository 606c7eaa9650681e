'use strict'

// A registered symbol, so that a target works with another copy of this package.
const DIAGNOSER = Symbol.for('cannonade.diagnoser')

/**
 * Returns what a run needs in order to diagnose a launched server: `channel` (see channel.js; null if it was launched without
 * `diagnose`) and `port`.
 *
 * @param {*} value
 * @returns {?object} null if it is not a launched server
 */
function diagnoserOf (value) {
  return value?.[DIAGNOSER] ?? null
}

module.exports = { DIAGNOSER, diagnoserOf }
