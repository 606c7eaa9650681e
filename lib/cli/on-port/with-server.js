'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { addressOf } = require('./aim')
const ChildServer = require('./child-server')
const PortChannel = require('./port-channel')
const { accepts, waitForPort } = require('./wait-for-port')

// Long, since a server may have to compile its code first.
const PATIENCE_SECONDS = 60

/**
 * Starts a command, waits until it listens on a port, calls `use`, and ends the command and its child processes.
 *
 * @param {string[]} words the command and its arguments
 * @param {string|string[]} url the address to poll if the server does not report its port
 * @param {function(number, ChildServer, number): Promise} use gets the port, the child process, and the PID of the
 *   listening process if known, else that of the started command
 * @param {object} [opts]
 * @param {number} [opts.patience=60] seconds to wait until it listens
 * @param {string} [opts.name] its name in messages; default the words
 * @param {AbortSignal} [opts.signal] stops waiting
 * @returns {Promise<*>} the result of `use`; null if waiting was stopped
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED if it cannot be started or does not listen
 */
async function withServer (words, url, use, { patience = PATIENCE_SECONDS, name, signal } = {}) {
  const channel = await PortChannel.open()
  let server = null
  // Registered before the command starts, so that an exit at any time also kills it.
  const kill = () => {
    server?.kill()
    channel.close()
  }
  process.on('exit', kill)
  try {
    // Checked before the command starts: anything that accepts connections now is another server.
    const address = await freeAddressOf(url)
    if (signal?.aborted) return null
    server = new ChildServer(words, channel.environment, name)
    const port = await portOf(server, channel, address, patience, signal)
    // The started process may not be the listener: npm and shells start another one.
    return port === null ? null : await use(port, server, channel.pid ?? server.child.pid)
  } finally {
    await server?.stop()
    process.removeListener('exit', kill)
    channel.close()
  }
}

async function freeAddressOf (url) {
  const address = addressOf([url].flat()[0])
  return address !== null && !await accepts(address) ? address : null
}

// Node.js programs report their port. For other programs, the URL's port is polled.
async function portOf (server, channel, address, patience, signal) {
  const over = new AbortController()
  const failed = (what) => { throw server.failure(what) }
  const stopped = new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal }))
  try {
    return await Promise.race([
      channel.port,
      stopped,
      ...(address === null ? [] : [waitForPort(address, over.signal)]),
      server.ended.then((how) => signal?.aborted ? null : failed(server.hasBegun ? `${how} before it listened on a port` : how)),
      sleep(patience * 1000, undefined, { signal: over.signal }).then(() => failed(`has not listened on a port within ${patience} seconds. ` +
        'The port is detected only if the command runs on Node.js; otherwise give the port in the URL'))
    ])
  } finally {
    over.abort()
  }
}

module.exports = { withServer }
