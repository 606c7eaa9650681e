'use strict'

const run = require('../../..')
const { violations } = require('../../support/accounts')

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
  checkResult(t, result, opts)
  return result
}

/** Whether all of a result adds up. */
function checkResult (t, result, opts) {
  const { warmup } = result
  if (warmup) {
    const { opened, closedByServer, closedByClient } = warmup.connectionStats
    const left = opened - closedByServer - closedByClient
    t.same(violations(warmup, { ...opts, left }), [], 'all of the warm-up adds up')
    t.same(violations(result, { ...opts, inherited: left }), [], 'all of it adds up')
  } else {
    t.same(violations(result, opts), [], 'all of it adds up')
  }
}

/** A number between two others, with the number in the message. */
function between (t, value, least, most, name) {
  t.ok(value >= least && value <= most, `${name}: ${value}, expected ${least} to ${most}`)
}

module.exports = { benchmark, checkResult, between }
