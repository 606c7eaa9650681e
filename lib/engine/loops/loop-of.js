'use strict'

const ClosedLoop = require('./closed-loop')
const { dealtTo, isSplit, pacerOf, shareOf } = require('../deal/part')

/**
 * Creates the loop that decides what a phase with this plan sends, and when. All but the simplest are loaded on demand.
 *
 * @param {object} plan
 * @param {Extent} extent how much there is to do
 * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
 * @param {Phase} phase
 * @returns {ClosedLoop | OpenLoop | TurnLoop | SessionLoop}
 */
function createLoop (plan, extent, part, phase) {
  if (plan.sessions !== null) return createSessionLoop(plan, extent, part, phase)
  const split = isSplit(plan) ? new (require('../deal/split'))(plan, part, phase.connections.length) : null
  if (plan.schedule === null) return createClosedLoop(plan, extent, part, phase, split)
  const pacer = pacerOf({ schedule: plan.schedule, connections: dealtTo(plan) }, part, { duration: extent.longestWindow, total: extent.inAll })
  if (split !== null) return new (require('./split-loops').SplitOpenLoop)(plan, pacer, extent.total, phase, split)
  const Loop = phase.isBroadcast && !plan.schedule.perConnection ? require('./turn-loop') : require('./open-loop')
  return new Loop(plan, pacer, extent.total, phase)
}

function createClosedLoop (plan, extent, part, { connections }, split) {
  if (split === null) return new ClosedLoop(plan, extent.total, part, connections)
  const { SplitClosedLoop } = require('./split-loops')
  return new SplitClosedLoop(plan, extent.total, part, connections, split)
}

// Sessions are divided among the threads one by one, not by connection.
function createSessionLoop (plan, extent, part, phase) {
  const { schedule } = plan
  const total = extent.amount ?? Infinity
  const pacer = schedule === null ? null : pacerOf({ schedule, connections: part.of }, part, { duration: extent.longestWindow, total })
  const budget = total === Infinity ? Infinity : shareOf(total, part)
  const SessionLoop = require('./sessions/session-loop')
  return new SessionLoop(plan, pacer, Math.min(budget, phase.pool.rowsLeft), part, phase)
}

module.exports = createLoop
