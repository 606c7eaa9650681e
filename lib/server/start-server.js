'use strict'

const { parseServerOptions } = require('./options')
const { sumCounts } = require('./counts')
const { Target } = require('./target')
const { WorkerGroup } = require('./worker-group')

/**
 * Starts a small HTTP server to aim at. It answers every path and method, and tells what it has counted at
 * `GET /_stats` (JSON; asking is not counted).
 *
 * @param {object} [opts] numbers may be given as strings
 * @param {number} [opts.port] default 9090; 0 for any free one
 * @param {string} [opts.host] default 'localhost': 127.0.0.1 and, where the machine has it, ::1
 * @param {boolean} [opts.http2] HTTP/2 in the clear, for clients with prior knowledge, and not HTTP/1.1; default false
 * @param {string} [opts.websocket] speak WebSocket: `'echo'`, `'broadcast'` (each message goes to all), or `'chat'` (to all who are
 *   connected at the same path). What comes is counted as requests; `status` is that of handshakes, `errorRate` the share of
 *   messages upon which a connection is closed with 1011, `bodySize` the bytes of what is sent. Needs the package `ws`
 * @param {number} [opts.workers] processes that share the port; default 1, in this process. The counts are exact for
 *   any number of them; of `errorRate` each keeps its own account
 * @param {number|string|{ from: number, to: number }} [opts.delay] milliseconds before each answer, or a range to take
 *   a random time from (`'5-20'`); default 0
 * @param {number} [opts.status] default 200
 * @param {number} [opts.bodySize] bytes of each body: the default text, cut or filled up; default its own length
 * @param {number|string} [opts.errorRate] share of the answers with status 500 (0.1 or '10%'), spread evenly; default 0
 * @param {boolean} [opts.verbose] one line on stdout for each request; default false
 * @param {function(?Error, RunningServer=)} [callback] instead of the promise
 * @returns {Promise<RunningServer>|undefined}
 * @throws {CannonadeError} (rejects, or goes to the callback) CANNONADE_BAD_OPTION; CANNONADE_SERVER_FAILED when it
 *   cannot listen, with `port` and `host`
 *
 * @typedef {object} RunningServer
 * @property {string} url where to aim
 * @property {number} port
 * @property {string} host as given
 * @property {function(): Promise<object>} stats `{ requests, unanswered, connections, openConnections,
 *   bytes: { read, written }, statusCodeStats, processes }` so far; after `close()` the last counts. Rejects with
 *   CANNONADE_SERVER_FAILED when a worker has died and the sum would be wrong
 * @property {function(): Promise<void>} close ends connections, timers and processes; may be called again
 */
function startServer (opts, callback) {
  if (typeof opts === 'function') return startServer(undefined, opts)

  const started = start(opts)
  if (!callback) return started
  // Not called inside the promise: what a callback throws must not become a rejection.
  started.then((server) => process.nextTick(callback, null, server), (error) => process.nextTick(callback, error))
}

async function start (opts) {
  const options = parseServerOptions(opts)
  const server = options.workers === 1 ? inThisProcess(options) : new WorkerGroup(options)
  let closed
  const close = () => (closed ??= server.close())

  try {
    const { port, url } = await server.listen()
    return { url, port, host: options.host, stats: async () => server.stats(), close }
  } catch (error) {
    await close()
    throw error
  }
}

function inThisProcess (options) {
  const target = new Target(options)
  return {
    listen: () => target.listen(),
    stats: () => sumCounts([target.counts()]),
    close: () => target.close()
  }
}

module.exports = { startServer }
