'use strict'

const { kind } = require('../values/kinds')

// Loaded only for runs that have thresholds: the package must load quickly.
const room = () => require('../thresholds')

/** The limits that a result must meet. parseThresholds throws more precise errors than this kind could. */
const thresholds = kind("an array of strings such as 'p99 < 50ms'", (value, name) => {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return undefined
  return named(name, () => room().parseThresholds(value))
})

function named (option, check) {
  try {
    return check()
  } catch (error) {
    throw Object.assign(error, { option })
  }
}

/**
 * Plans the thresholds, for the Round.
 *
 * @param {object} options as read
 * @param {object} plan complete except for its thresholds
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD for a threshold on a value that this run does not have
 */
function planThresholds (options, plan) {
  const all = options.thresholds ?? []
  checkThresholds(all, plan)
  // If no threshold can fail before the end, there is no need to check them during the run.
  return { thresholds: all, abortOnFail: options.abortOnFail && all.some((each) => room().canBeLost(each)) }
}

/** Checks thresholds as planThresholds does. @param {object} plan may be partial, see check-plan.js */
function checkThresholds (all, plan) {
  if (all.length > 0) named('thresholds', () => room().checkAgainstPlan(all, plan))
}

/** Returns a warning if `abortOnFail` cannot have an effect. */
function abortWithoutEffect ({ abortOnFail, thresholds }) {
  if (!abortOnFail || thresholds?.some((each) => room().canBeLost(each))) return []
  const why = thresholds === null || thresholds.length === 0
    ? 'without thresholds'
    : "with these thresholds: only a limit on a value that can only grow, such as 'failures == 0' or 'latency.max < 1s', can fail before the end"
  return [{ code: 'OPTION_WITHOUT_EFFECT', message: `abortOnFail has no effect ${why}` }]
}

module.exports = { thresholds, planThresholds, checkThresholds, abortWithoutEffect }
