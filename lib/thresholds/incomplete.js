'use strict'

/*
 * What is known of a result whose accounts are not whole, since parts of its run were lost (agents of a fleet that died):
 *
 *     what the plan says, or this machine saw by itself        the value
 *     what only grows                                          at least the value: those parts did more than they told
 *     all else: shares, averages, percentiles                  nothing
 *
 * The accounts of a lost part were closed for it (docs/fleet.md, "When something fails"), so what that adds to is no lower
 * bound either: what was waiting then may have been sent, and what was in flight may have been answered.
 */

const OF_THE_PLAN = new Set(['connections', 'pipelining', 'workers', 'sampleInt'])
const OF_THIS_MACHINE = new Set(['monitor'])
const CLOSED = new Set(['accounting.unsent', 'connectionStats.closedByClient', 'latencyBounds.count'])
// The schedule tells what was offered, and how long; only what was completed by then may be more.
const RATES = new Map([['rate.offered', isKnown], ['sessions.rate.offered', isKnown], ['rate.achieved', isLeast], ['sessions.rate.achieved', isLeast]])

/**
 * From where to where a value may be, where parts of the run were lost.
 *
 * @param {object} result
 * @param {object} field see names.js
 * @param {string} unit '%' where it is a share
 * @param {Array} range of the value, where nothing was lost
 * @returns {?{ range: Array, incomplete: object }} null where all is known
 */
function withoutLost (result, { path, trend }, unit, range) {
  const [base, own] = path[0] === 'warmup' ? [result.warmup, path.slice(1)] : [result, path]
  const { incomplete } = base ?? {}
  if (!(incomplete?.parts > 0)) return null
  if (OF_THE_PLAN.has(own[0]) || OF_THIS_MACHINE.has(own[0])) return null
  const widen = RATES.get(own.join('.'))
  // How many requests lost sessions would have made was in no schedule.
  if (widen !== undefined && !(own[0] === 'rate' && base.sessions !== undefined)) return widen(range, incomplete)
  const isCount = trend === 'up' && unit !== '%' && !CLOSED.has(own.slice(-2).join('.'))
  return isCount ? isLeast(range, incomplete) : { range: nothingKnown(range), incomplete }
}

function isKnown () {
  return null
}

function isLeast ([least], incomplete) {
  return { range: [least, Infinity], incomplete }
}

function nothingKnown ([value]) {
  return typeof value === 'boolean' ? [false, true] : [-Infinity, Infinity]
}

module.exports = { withoutLost }
