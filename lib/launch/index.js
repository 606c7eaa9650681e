'use strict'

const fs = require('node:fs')
const { named, optionError, optionProblem, show, words } = require('../base/errors')
const { didYouMean } = require('../base/suggest')
const { DIAGNOSER } = require('../diagnose/target')
const { toSeconds } = require('../values/duration')
const { isGiven, isObject, kind, truth } = require('../values/kinds')
const { atPort } = require('./aim')
const { StartedServer } = require('./started-server')

/**
 * Starts a server from a command, and waits until it listens on a port. The server's output goes to stderr. If this process exits, the
 * server ends as well.
 *
 * @param {string[]} command the program and its arguments: `['node', 'server.js']`, `['npm', 'start']`
 * @param {object} [opts]
 * @param {string} [opts.cwd] working directory of the server
 * @param {object} [opts.env] environment variables that override those of this process
 * @param {string} [opts.url] a path, or the URL where the server will listen, without which the port of a program that does not run on
 *   Node.js cannot be known; the port that a Node.js program reports replaces that of the URL
 * @param {number|string} [opts.patience=60] seconds to wait until it listens
 * @param {boolean} [opts.diagnose=false] load what the option `diagnose` of `run` needs into the server's processes
 * @returns {Promise<LaunchedServer>}
 * @throws {CannonadeError} (as a rejection) CANNONADE_BAD_OPTION; CANNONADE_SERVER_FAILED if the command cannot be started, ends before
 *   it listens, or does not listen in time
 *
 * @typedef {object} LaunchedServer
 * @property {string} url the URL to test
 * @property {number} port
 * @property {number} pid of the process that listens; of the started command if that is unknown
 * @property {function(): Promise} close ends the server and all processes that it started. May be called repeatedly
 */
async function launch (command, opts) {
  const { url = '', ...rest } = readLaunch(command, opts)
  const server = await StartedServer.start(command, url, rest)
  return targetOf(server, url)
}

/** What a program gets of a started server. @param {StartedServer} server @param {string} url with any port */
function targetOf (server, url) {
  const target = {
    url: server.urlFrom(url),
    port: server.port,
    pid: server.pid,
    close: () => server.close()
  }
  return Object.freeze(Object.defineProperty(target, DIAGNOSER, { value: { channel: server.diagnosis, port: server.port } }))
}

const folder = kind('the path of a folder', (value) => {
  const isPath = (typeof value === 'string' && value !== '') || (value instanceof URL && value.protocol === 'file:')
  return isPath && fs.statSync(value, { throwIfNoEntry: false })?.isDirectory() ? value : undefined
})

const address = kind("a URL, or a path such as '/items'", (value) => {
  const isAddress = (typeof value === 'string' || value instanceof URL) && URL.canParse(atPort(value, 80))
  return isAddress ? String(value) : undefined
})

const variables = kind('an object of strings', (value) => {
  if (!isObject(value)) return undefined
  const isText = (each) => typeof each === 'string' || typeof each === 'number' || !isGiven(each)
  return Object.values(value).every(isText) ? withoutMissing(value) : undefined
})

const patience = kind("a number of seconds greater than 0, or a string such as '1m 30s'", (value) => {
  const seconds = toSeconds(value)
  return seconds > 0 ? seconds : undefined
})

/** The options of `launch`; see lib/values/kinds.js for the kinds. */
const OPTIONS = { cwd: folder, env: variables, url: address, patience, diagnose: truth }

/**
 * Checks the arguments of `launch`.
 *
 * @param {string[]} command
 * @param {object} [given]
 * @returns {object} the options that were given
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readLaunch (command, given = {}) {
  if (!isCommand(command)) throw optionError('command', command, "an array of strings, such as ['node', 'server.js']")
  if (!isObject(given)) throw optionError('the options', given, 'an object')
  const names = Object.keys(OPTIONS)
  // With a mistyped name, the server would silently run without the option.
  const unknown = Object.keys(given).find((name) => !names.includes(name) && isGiven(given[name]))
  if (unknown !== undefined) throw optionProblem(unknown, words`${named(unknown)} is not an option of launch${didYouMean(unknown, names, `; the options are ${names.join(', ')}`, show)}`)
  return Object.fromEntries(names.filter((name) => isGiven(given[name])).map((name) => [name, OPTIONS[name].read(given[name], name)]))
}

const isCommand = (words) => Array.isArray(words) && words.length > 0 && words[0] !== '' && words.every((word) => typeof word === 'string')
const withoutMissing = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => isGiven(value)).map(([name, value]) => [name, String(value)]))

module.exports = { launch, targetOf }
