'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { exitCodeOf, onInterrupt } = require('./shared/interrupt')
const { addressOf, atPort } = require('./on-port/aim')
const ChildServer = require('./on-port/child-server')
const { withServer } = require('./on-port/with-server')

/*
 * Servers that a comparison starts itself, each for its own runs alone: they may listen on the same port, and what one has
 * left behind in memory is no luck or misfortune of the other.
 */

// As a person would type them, so that `cd ../main && npm start` is a command.
const inShell = (command) => process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', command] : ['/bin/sh', '-c', command]

/**
 * The targets of a comparison: one for each command, by whose words it is called.
 *
 * @param {string[]} commands
 * @param {object} opts of the runs
 * @param {string} [url] a path; or a whole URL, at whose port those are found that do not tell theirs
 * @returns {object[]}
 */
function targetsOfCommands (commands, opts, url = '/') {
  // Where they really are is known once they listen.
  const { port } = addressOf(url) ?? { port: 80 }
  return commands.map((command) => ({ ...opts, title: command, url: atPort(url, port) }))
}

/**
 * What makes each of them reachable, for `compare`.
 *
 * @param {string[]} commands
 * @param {string} [url] as above
 */
function startEach (commands, url = '/') {
  return async function reach (index, use, signal) {
    const name = commands[index]
    return withServer(inShell(name), url, (port, server) => useWhileThere(server, use({ url: atPort(url, port) }), signal), { name, signal })
  }
}

// A signal to all that belongs to a job ends the server as well, and nothing has failed then.
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
 * What is to be done once before the first run, such as \`npm ci\`: one command after the other.
 *
 * @param {string[]} commands
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED where one ends with another exit code than 0
 */
async function setUp (commands) {
  let child = null
  const kill = () => child?.kill()
  process.on('exit', kill)
  const letGo = onInterrupt((signal) => process.exit(exitCodeOf(signal)))
  try {
    for (const command of commands) {
      child = new ChildServer(inShell(command), {}, command)
      const how = await child.ended
      if (child.child.exitCode !== 0) throw new CannonadeError(CODES.SERVER_FAILED, `The setup (${command}) ${how}`)
    }
  } finally {
    letGo()
    process.removeListener('exit', kill)
  }
}

module.exports = { setUp, startEach, targetsOfCommands }
