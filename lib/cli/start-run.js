'use strict'

const Awaitable = require('../base/awaitable')
const { named, optionProblem, words } = require('../base/errors')
const { diagnoserOf } = require('../diagnose/target')
const { runAndShow } = require('./run-and-show')

/**
 * Starts a run with the options from parseArguments. If they name a server to start, the server is started first.
 *
 * @param {object} options
 * @returns {Run|Promise<object>} a run, or a promise of the result if a server is started first
 */
function startRun (options) {
  if (isToBeDiagnosed(options)) throw withoutCommand('diagnose')
  return options.onPort || options.spawn ? require('./on-port').runOnPort(options) : runAndShow(options)
}

/** The error of a flag that needs the command of a server. */
function withoutCommand (name) {
  return optionProblem(name, words`${named(name)} needs the command that starts the server after --, such as: -- node server.js`)
}

// A program may also have launched the server itself.
function isToBeDiagnosed ({ diagnose, spawn }) {
  return Boolean(diagnose) && diagnoserOf(diagnose.target ?? diagnose) === null && !spawn?.[0]
}

/**
 * Returns a promise for the end of a run, including runs that cannot be awaited directly.
 *
 * @param {Run|Promise<object>} started
 * @returns {Promise<object>}
 */
function endOf (started) {
  return started instanceof Awaitable ? Awaitable.outcomeOf(started) : started
}

/** Like `endOf`, but also waits until metrics have been exported. */
async function untilEnded (started, { opentelemetry }) {
  try {
    return await endOf(started)
  } finally {
    if (opentelemetry) await require('../watch/opentelemetry').flush()
  }
}

module.exports = { endOf, startRun, untilEnded, withoutCommand }
