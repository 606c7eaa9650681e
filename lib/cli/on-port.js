'use strict'

const path = require('node:path')
const Awaitable = require('../base/awaitable')
const { optionProblem, show } = require('../base/errors')
const { readProfile } = require('../plan/diagnose')
const { canMonitor } = require('../plan/watching')
const { isGiven } = require('../values/kinds')
const { runAndShow } = require('./run-and-show')
const { exitCodeOf, onInterrupt } = require('./shared/interrupt')
const { targetOf } = require('../launch')
const { withServer } = require('../launch/started-server')

/**
 * Whether the command after -- is to be started: --diagnose implies that, and so does a command that is node.
 *
 * @param {object} options `onPort`, `diagnose`
 * @param {string[]} words of the command
 */
function startsServer ({ onPort, diagnose }, [program = '']) {
  return onPort ?? (Boolean(diagnose) || /^node(\.exe)?$/i.test(path.basename(program)))
}

/**
 * Starts a command, waits until it listens on a port, executes a run against that port, and ends the command and its
 * child processes.
 *
 * @param {object} options from parseArguments; `spawn`: the command and its arguments
 * @param {number} [patience] seconds to wait until it listens
 * @returns {Promise<object>} the result
 * @throws {CannonadeError} CANNONADE_BAD_OPTION without a command, CANNONADE_SERVER_FAILED if the command cannot be
 *   started, does not listen, or ends before the run does
 */
async function runOnPort ({ spawn, onPort, ...options }, patience) {
  checkCommand(spawn, onPort)
  if (isGiven(options.diagnose?.profile)) readProfile(options.diagnose.profile, 'diagnose')
  let isRunning = false
  let isInterrupted = false
  // During the run, the run handles signals itself: the first one ends the run, and then the server is stopped as usual.
  const letGo = onInterrupt((signal) => {
    isInterrupted = true
    if (!isRunning) process.exit(exitCodeOf(signal))
  })
  try {
    return await withServer(spawn, options.url, async (server) => {
      const { child, pid } = server
      isRunning = true
      const diagnose = options.diagnose ? { ...options.diagnose, target: targetOf(server, '') } : undefined
      const monitor = options.monitor ?? (child.hasEnded || !canMonitor() ? undefined : pid)
      return await runAgainst(child, { ...options, url: aim(options.url, server), monitor, diagnose }, () => isInterrupted).finally(() => { isRunning = false })
    }, { patience, diagnose: Boolean(options.diagnose) })
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

function aim (url, server) {
  return Array.isArray(url) ? url.map((each) => server.urlFrom(each)) : server.urlFrom(url)
}

// A signal to the whole job also ends the server, which is not a failure then.
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

module.exports = { runOnPort, startsServer }
