'use strict'

const { DIAGNOSER } = require('../diagnose/target')
const { atPort } = require('./aim')
const { readLaunch } = require('./options')
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
    url: atPort(url, server.port),
    port: server.port,
    pid: server.pid,
    close: () => server.close()
  }
  return Object.freeze(Object.defineProperty(target, DIAGNOSER, { value: { channel: server.diagnosis, port: server.port } }))
}

module.exports = { launch, targetOf }
