'use strict'

/** The flag that decides whether an inconclusive check fails. */
const strictFlag = Object.freeze({
  name: 'strict',
  help: 'also fail if a regression check is inconclusive (the default if CI is set); --no-strict does not'
})

/**
 * Returns the exit code of a comparison with a limit: 1 if the limit was exceeded, or if the check is strict and
 * inconclusive.
 *
 * @param {object} comparison
 * @param {boolean} [strict] as given; defaults to whether the environment variable CI is set
 * @returns {number}
 */
function regressionCode ({ passed, regressionVerdict }, strict = isInCI(process.env)) {
  if (passed !== false) return 0
  return regressionVerdict === 'inconclusive' && !strict ? 0 : 1
}

// Some set CI to '', '0' or 'false' to turn it off.
function isInCI ({ CI }) {
  return CI !== undefined && !['', '0', 'false'].includes(CI.toLowerCase())
}

module.exports = { strictFlag, regressionCode }
