'use strict'

/** The flag that decides about a verdict that could not be reached. */
const strictFlag = Object.freeze({
  name: 'strict',
  help: 'also fail if a regression check is inconclusive (the default if CI is set); --no-strict does not'
})

/**
 * The exit code of a comparison with a limit: 1 where it was exceeded, or where that could not be told and the check is
 * strict.
 *
 * @param {object} comparison
 * @param {boolean} [strict] as given; default whether this runs in CI, as the variable of the environment says
 * @returns {number}
 */
function regressionCode ({ passed, regressionVerdict }, strict = isInCI(process.env)) {
  if (passed !== false) return 0
  return regressionVerdict === 'inconclusive' && !strict ? 0 : 1
}

// Some set it to switch it off.
function isInCI ({ CI }) {
  return CI !== undefined && !['', '0', 'false'].includes(CI.toLowerCase())
}

module.exports = { strictFlag, regressionCode }
