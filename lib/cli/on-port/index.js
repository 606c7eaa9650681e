'use strict'

const path = require('node:path')
const Awaitable = require('../../base/awaitable')
const { optionProblem, show } = require('../../base/errors')
const { canMonitor } = require('../../plan/monitor')
const { runAndShow } = require('../run-and-show')
const { exitCodeOf, onInterrupt } = require('../shared/interrupt')
const { atPort } = require('./aim')
const { withServer } = require('./with-server')

/**
 * Whether a command is meant to be started even without --on-port.
 *
 * @param {string[]} words
 */
function isNode ([program = '']) {
  return /^node(\.exe)?$/i.test(path.basename(program))
}

/**
 * Starts a command, waits until it listens on a port, runs against that port, and ends the command with all that it has
 * started.
 *
 * @param {object} options of parseArguments; `spawn`: the command and its arguments
 * @param {number} [patience] seconds in which it must listen
 * @returns {Promise<object>} the result
 * @throws {CannonadeError} CANNONADE_BAD_OPTION without a command, CANNONADE_SERVER_FAILED where it cannot be started,
 *   does not listen, or ends before the run does
 */
async function runOnPort ({ spawn, onPort, ...options }, patience) {
  checkCommand(spawn, onPort)
  let isRunning = false
  let isInterrupted = false
  // A run sees to its signals itself: the first ends that run, and the server after it as it always does.
  const letGo = onInterrupt((signal) => {
    isInterrupted = true
    if (!isRunning) process.exit(exitCodeOf(signal))
  })
  try {
    return await withServer(spawn, options.url, async (port, server, pid) => {
      isRunning = true
      const monitor = options.monitor ?? (server.hasEnded || !canMonitor() ? undefined : pid)
      return await runAgainst(server, { ...options, url: aim(options.url, port), monitor }, () => isInterrupted).finally(() => { isRunning = false })
    }, { patience })
  } finally {
    letGo()
  }
}

function checkCommand (words, onPort) {
  if (!words?.[0]) {
    throw badOption('--on-port needs the command that starts the server after --, such as: -- node server.js')
  }
  if (!onPort) {
    throw badOption(`the command after -- needs --on-port, which is implied only for node: ${show(words.join(' '))}`)
  }
}

function badOption (sentence) {
  return optionProblem('onPort', sentence)
}

function aim (url, port) {
  return Array.isArray(url) ? url.map((each) => atPort(each, port)) : atPort(url, port)
}

// A signal to all that belongs to a job ends the server as well, and nothing has failed then.
async function runAgainst (server, options, isInterrupted) {
  let end = null
  const instance = runAndShow(options)
  server.ended.then((how) => {
    end = how
    instance.stop()
  })
  const result = await Awaitable.outcomeOf(instance)
  if (end !== null && !isInterrupted()) throw server.failure(`${end} before the run was over`)
  return result
}

module.exports = { isNode, runOnPort }
