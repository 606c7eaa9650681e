'use strict'

const ClosedLoop = require('./closed-loop')
const OpenLoop = require('./open-loop')
const { dealtTo, isSplit, pacerOf, shareOf } = require('../deal/part')
const SessionLoop = require('./sessions/session-loop')
const Split = require('../deal/split')
const { SplitClosedLoop, SplitOpenLoop } = require('./split-loops')
const TurnLoop = require('./turn-loop')

/**
 * Creates the loop that decides what a phase with this plan sends, and when.
 *
 * @param {object} plan
 * @param {Extent} extent how much there is to do
 * @param {{ share: number, of: number }} part which part of the run is ours, see part.js
 * @param {Phase} phase
 * @returns {ClosedLoop | OpenLoop | TurnLoop | SessionLoop}
 */
function createLoop (plan, extent, part, phase) {
  if (plan.sessions !== null) return createSessionLoop(plan, extent, part, phase)
  const split = isSplit(plan) ? new Split(plan, part, phase.connections.length) : null
  if (plan.schedule === null) return createClosedLoop(plan, extent, part, phase, split)
  const pacer = pacerOf({ schedule: plan.schedule, connections: dealtTo(plan) }, part, { duration: extent.longestWindow, total: extent.inAll })
  if (split !== null) return new SplitOpenLoop(plan, pacer, extent.total, phase, split)
  const Loop = phase.isBroadcast && !plan.schedule.perConnection ? TurnLoop : OpenLoop
  return new Loop(plan, pacer, extent.total, phase)
}

function createClosedLoop (plan, extent, part, { connections }, split) {
  return split === null ? new ClosedLoop(plan, extent.total, part, connections) : new SplitClosedLoop(plan, extent.total, part, connections, split)
}

// Sessions are divided among the threads one by one, not by connection.
function createSessionLoop (plan, extent, part, phase) {
  const { schedule } = plan
  const total = extent.amount ?? Infinity
  const pacer = schedule === null ? null : pacerOf({ schedule, connections: part.of }, part, { duration: extent.longestWindow, total })
  const budget = total === Infinity ? Infinity : shareOf(total, part)
  return new SessionLoop(plan, pacer, Math.min(budget, phase.pool.rowsLeft), part, phase)
}

module.exports = createLoop
