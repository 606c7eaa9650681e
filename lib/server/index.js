'use strict'

const { parseServerOptions, serverOptions } = require('./options')
const { sumCounts } = require('./counts')
const { Target } = require('./target')
const { WorkerGroup } = require('./worker-group')

/**
 * Starts a small HTTP test server. It responds to every path and method, and returns its counts at `GET /_stats` (as JSON; these
 * requests aren't counted).
 *
 * @param {object} [opts] numbers may be given as strings
 * @param {number} [opts.port] default 9090; 0: any free port
 * @param {string} [opts.host] default 'localhost': 127.0.0.1 and, if available, ::1
 * @param {boolean} [opts.http2] use HTTP/2 without TLS, for clients with prior knowledge, instead of HTTP/1.1; default false
 * @param {string} [opts.websocket] use WebSocket: `'echo'`, `'broadcast'` (send each message to all clients), or `'chat'` (to all
 *   clients connected to the same path). Messages are counted as requests; `status` is that of handshakes, `errorRate` the share of
 *   messages after which a connection is closed with 1011, `bodySize` the size of sent messages. Requires the package `ws`
 * @param {number} [opts.workers] number of processes that share the port; default 1, the current process. Counts are exact
 *   for any number; `errorRate` is applied by each process separately
 * @param {number|string|{ from: number, to: number }} [opts.delay] milliseconds before each response, or a range for random
 *   delays (`'5-20'`); default 0
 * @param {number} [opts.status] default 200
 * @param {number} [opts.bodySize] size of each body in bytes: the default text, truncated or padded; default its own length
 * @param {number|string} [opts.errorRate] share of the responses with status 500 (0.1 or '10%'), spread evenly; default 0
 * @param {boolean} [opts.verbose] print a line to stdout for each request; default false
 * @param {function(?Error, RunningServer=)} [callback] called instead of returning a promise
 * @returns {Promise<RunningServer>|undefined}
 * @throws {CannonadeError} (as a rejection, or passed to the callback) CANNONADE_BAD_OPTION; CANNONADE_SERVER_FAILED if it
 *   can't listen, with `port` and `host`
 *
 * @typedef {object} RunningServer
 * @property {string} url the URL to test
 * @property {number} port
 * @property {string} host the option
 * @property {function(): Promise<object>} stats `{ requests, unanswered, connections, openConnections,
 *   bytes: { read, written }, statusCodeStats, processes }` so far; after `close()`, the final counts. Rejects with
 *   CANNONADE_SERVER_FAILED if a worker has died, because the sum would be wrong
 * @property {function(): Promise<void>} close closes connections, timers and processes; may be called repeatedly
 */
function startServer (opts, callback) {
  if (typeof opts === 'function') return startServer(undefined, opts)

  const started = start(opts)
  if (!callback) return started
  // Called outside the promise, so that an error thrown by the callback doesn't become a rejection.
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

module.exports = { startServer, serverOptions }
