'use strict'

const { checkAgainstPlan, canBeLost, parseThresholds } = require('../thresholds')
const { kind } = require('../values/kinds')

/** What a result has to meet. Their own errors are more exact than anything that could be said here. */
const thresholds = kind("an array of strings such as 'p99 < 50ms'", (value, name) => {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return undefined
  return named(name, () => parseThresholds(value))
})

function named (option, check) {
  try {
    return check()
  } catch (error) {
    throw Object.assign(error, { option })
  }
}

/**
 * The part of the plan, for the Round.
 *
 * @param {object} options as read
 * @param {object} plan complete but for this
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD for one that this run can have no value for
 */
function planThresholds (options, plan) {
  const all = options.thresholds ?? []
  checkThresholds(all, plan)
  // Where none can be lost before the end, nobody need watch.
  return { thresholds: all, abortOnFail: options.abortOnFail && all.some(canBeLost) }
}

/** As planThresholds does, for thresholds as read. @param {object} plan or what is known of one, see check-plan.js */
function checkThresholds (all, plan) {
  named('thresholds', () => checkAgainstPlan(all, plan))
}

/** What there is to say about `abortOnFail` where it cannot do anything; empty where it can. */
function abortWithoutEffect ({ abortOnFail, thresholds }) {
  if (!abortOnFail || thresholds?.some(canBeLost)) return []
  const why = thresholds === null || thresholds.length === 0
    ? 'without thresholds'
    : "with these thresholds: only a limit on a value that can only grow, such as 'errors == 0' or 'latency.max < 1s', can fail before the end"
  return [{ code: 'OPTION_WITHOUT_EFFECT', message: `abortOnFail has no effect ${why}` }]
}

module.exports = { thresholds, planThresholds, checkThresholds, abortWithoutEffect }
