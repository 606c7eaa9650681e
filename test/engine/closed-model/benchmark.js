'use strict'

const run = require('../../..')
const { addsUp } = require('../../support/accounts')

/**
 * Runs a benchmark to its end and checks that all of its result adds up, whatever it is that a test wants to see in it.
 *
 * @param {{ same: function }} t
 * @param {object} opts of run
 * @param {function(object)} [during] gets the instance when it has been made
 * @returns {Promise<object>} the result
 */
async function benchmark (t, opts, during) {
  const instance = run(opts)
  during?.(instance)
  const result = await instance
  addsUp(t, result, opts)
  return result
}

/** A number between two others, with the number in the message. */
function between (t, value, least, most, name) {
  t.ok(value >= least && value <= most, `${name}: ${value}, expected ${least} to ${most}`)
}

module.exports = { benchmark, between }
