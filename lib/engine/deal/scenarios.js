'use strict'

const { Mix } = require('../../load/mix')
const { createRowOrder } = require('../../load/row-order')

/**
 * By a schedule, the mix counts arrivals over all threads and machines; without one, each thread has its own.
 *
 * @returns {function(): ?Mix} for createRowOrder of each scenario; one for all of them, if it can be
 */
function mixesOf (scenarios, schedule) {
  if (schedule === null) return () => null
  const create = () => new Mix(scenarios.map(({ weight }) => weight))
  const shared = create()
  return () => shared.isShareable ? shared : create()
}

/**
 * The URLs that the sessions of each scenario use in turn, with any number of threads. Scenario i begins with URL i. If all sessions used
 * them in turn, two scenarios of the same weight would have one of two URLs each.
 *
 * @param {object} plan with scenarios
 * @param {{ share: number, of: number }} part
 * @returns {function(number): number} takes a scenario, returns the next turn
 */
function targetTurns ({ scenarios, schedule, targets }, part) {
  const mixFor = mixesOf(scenarios, schedule)
  const orders = scenarios.map((_, scenario) => createRowOrder({ count: targets.length, order: 'sequential', scenario }, part, mixFor()))
  return (scenario) => orders[scenario].next() + scenario
}

module.exports = { mixesOf, targetTurns }
