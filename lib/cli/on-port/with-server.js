'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { addressOf } = require('./aim')
const ChildServer = require('./child-server')
const PortChannel = require('./port-channel')
const { accepts, waitForPort } = require('./wait-for-port')

// A server may have to compile itself first.
const PATIENCE_SECONDS = 60

/**
 * Starts a command, waits until it listens on a port, has it used, and ends it with all that it has started.
 *
 * @param {string[]} words the command and its arguments
 * @param {string|string[]} url where the server is found if it does not tell its port
 * @param {function(number, ChildServer, number): Promise} use gets the port, what was started, and the number of the process
 *   that listens, as far as it is known
 * @param {object} [opts]
 * @param {number} [opts.patience=60] seconds in which it must listen
 * @param {string} [opts.name] what it is called in messages; else it is the words
 * @param {AbortSignal} [opts.signal] ends the waiting
 * @returns {Promise<*>} what `use` returns; null where the waiting was ended
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED where it cannot be started or does not listen
 */
async function withServer (words, url, use, { patience = PATIENCE_SECONDS, name, signal } = {}) {
  const channel = await PortChannel.open()
  let server = null
  // Before the command is started, so that at no time an exit leaves it behind.
  const kill = () => {
    server?.kill()
    channel.close()
  }
  process.on('exit', kill)
  try {
    // Asked before the command is started: what answers there now is another server.
    const address = await freeAddressOf(url)
    if (signal?.aborted) return null
    server = new ChildServer(words, channel.environment, name)
    const port = await portOf(server, channel, address, patience, signal)
    // What was started may only have started what listens: npm, a shell.
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

// Programs on Node.js tell their port. Others are found at the port of the URL.
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
