'use strict'

const run = require('../../..')
const { addsUp } = require('../../support/accounts')

/**
 * Runs a benchmark and checks that its whole result adds up, in addition to what a test checks.
 *
 * @param {{ same: function }} t
 * @param {object} opts of run
 * @param {function(object)} [during] called with the instance
 * @returns {Promise<object>} the result
 */
async function benchmark (t, opts, during) {
  const instance = run(opts)
  during?.(instance)
  const result = await instance
  addsUp(t, result, opts)
  return result
}

/** Asserts that a number is between two others, with the number in the message. */
function between (t, value, least, most, name) {
  t.ok(value >= least && value <= most, `${name}: ${value}, expected ${least} to ${most}`)
}

module.exports = { benchmark, between }
