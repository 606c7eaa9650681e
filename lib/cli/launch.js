'use strict'

const { begin } = require('./begin')
const { runOnPort } = require('./on-port')

/**
 * Begins what the options of parseArguments say, with a server to start before it or without.
 *
 * @param {object} options
 * @returns {Run|Promise<object>} a run, or where `spawn` has to be started first, a promise of the result
 */
function launch (options) {
  return options.onPort || options.spawn ? runOnPort(options) : begin(options)
}

module.exports = { launch }
