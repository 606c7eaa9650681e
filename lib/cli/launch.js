'use strict'

const Awaitable = require('../base/awaitable')
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

/**
 * A promise of the end of what was launched, also where that has no end of its own.
 *
 * @param {Run|Promise<object>} launched
 * @returns {Promise<object>}
 */
function endOf (launched) {
  return launched instanceof Awaitable ? Awaitable.outcomeOf(launched) : launched
}

/** As `endOf`, and what is told to others has been sent. */
async function whollyEnded (launched, { opentelemetry }) {
  try {
    return await endOf(launched)
  } finally {
    if (opentelemetry) await require('../watch/opentelemetry').flush()
  }
}

module.exports = { endOf, launch, whollyEnded }
