'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { exitCodeOf, onInterrupt } = require('./shared/interrupt')
const { targetOf } = require('../launch')
const { addressOf, atPort } = require('../launch/aim')
const ChildServer = require('../launch/child-server')
const { withServer } = require('../launch/started-server')

/*
 * Servers that a comparison starts itself. Each is started anew for each of its runs, so all can use the same port, and
 * none benefits or suffers from the memory state that an earlier run left.
 */

// Commands run in a shell, so that `cd ../main && npm start` works.
const inShell = (command) => process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', command] : ['/bin/sh', '-c', command]

/**
 * Returns the targets of a comparison: one per command, with the command as its title.
 *
 * @param {string[]} commands
 * @param {object} opts of the runs
 * @param {string} [url] a path, or a URL whose port is used for servers that do not report theirs
 * @returns {object[]}
 */
function targetsOfCommands (commands, opts, url = '/') {
  // A placeholder: the actual port is known once a server listens.
  const { port } = addressOf(url) ?? { port: 80 }
  return commands.map((command) => ({ ...opts, title: command, url: atPort(url, port) }))
}

/**
 * Returns the function with which `compare` starts each server before its run.
 *
 * @param {string[]} commands
 * @param {string} [url] as above
 * @param {object} [how]
 * @param {boolean} [how.isMonitored] whether to record the CPU and memory of each
 * @param {boolean} [how.isDiagnosed] whether to diagnose each
 */
function startEach (commands, url = '/', { isMonitored = false, isDiagnosed = false } = {}) {
  return async function reach (index, use, signal) {
    const name = commands[index]
    return withServer(inShell(name), url, (server) => {
      const { pid, child } = server
      const where = { url: server.urlFrom(url), ...(isMonitored && !child.hasEnded && { monitor: pid }), ...(isDiagnosed && { diagnose: targetOf(server, '') }) }
      return useWhileThere(child, use(where), signal)
    }, { name, signal, diagnose: isDiagnosed })
  }
}

/**
 * Waits for the end of a run, or of its server. A signal to the whole job also ends the server, which is not a failure then.
 *
 * @param {ChildServer} server
 * @param {Promise<*>} using the run
 * @param {AbortSignal} signal
 * @returns {Promise<*>} the result of the run; null if the server has ended after the signal
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED if the server has ended otherwise
 */
async function useWhileThere (server, using, signal) {
  let how = null
  const ended = server.ended.then((words) => {
    how = words
    if (!signal.aborted) throw server.failure(`${words} before its run was over`)
    return null
  })
  const result = await Promise.race([using, ended])
  if (how !== null && !signal.aborted) throw server.failure(`${how} before its run was over`)
  return result
}

/**
 * Executes setup commands such as `npm ci`, one after another, once before the first run.
 *
 * @param {string[]} commands
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED if one ends with an exit code other than 0
 */
async function setUp (commands) {
  let child = null
  const kill = () => child?.kill()
  process.on('exit', kill)
  const letGo = onInterrupt((signal) => process.exit(exitCodeOf(signal)))
  try {
    for (const command of commands) {
      child = new ChildServer(inShell(command), { name: command })
      const how = await child.ended
      if (child.child.exitCode !== 0) throw new CannonadeError(CODES.SERVER_FAILED, `The setup (${command}) ${how}`)
    }
  } finally {
    letGo()
    process.removeListener('exit', kill)
  }
}

module.exports = { setUp, startEach, targetsOfCommands, useWhileThere }
