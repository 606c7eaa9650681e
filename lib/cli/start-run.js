'use strict'

const Awaitable = require('../base/awaitable')
const { runAndShow } = require('./run-and-show')
const { runOnPort } = require('./on-port')

/**
 * Starts the run that the options of parseArguments ask for, after its server if there is one to start.
 *
 * @param {object} options
 * @returns {Run|Promise<object>} a run, or where `spawn` has to be started first, a promise of the result
 */
function startRun (options) {
  return options.onPort || options.spawn ? runOnPort(options) : runAndShow(options)
}

/**
 * A promise of the end of what was started, also where that has no end of its own.
 *
 * @param {Run|Promise<object>} started
 * @returns {Promise<object>}
 */
function endOf (started) {
  return started instanceof Awaitable ? Awaitable.outcomeOf(started) : started
}

/** As `endOf`, after metrics have been exported. */
async function untilEnded (started, { opentelemetry }) {
  try {
    return await endOf(started)
  } finally {
    if (opentelemetry) await require('../watch/opentelemetry').flush()
  }
}

module.exports = { endOf, startRun, untilEnded }
