'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { secondsInWords } = require('../base/errors')
const DiagnosisChannel = require('../diagnose/channel')
const { addressOf, atPort } = require('./aim')
const ChildServer = require('./child-server')
const { accepts, PortChannel, waitForPort } = require('./port')

// Long, since a server may have to compile its code first.
const PATIENCE_SECONDS = 60

/** A server that was started from a command and listens on a port. */
class StartedServer {
  /**
   * Starts a command and waits until it listens on a port.
   *
   * @param {string[]} words the command and its arguments
   * @param {string|string[]} url the address to poll if the server does not report its port
   * @param {object} [opts]
   * @param {number} [opts.patience=60] seconds to wait until it listens
   * @param {string} [opts.name] its name in messages; default the words
   * @param {string} [opts.cwd] its working directory
   * @param {object} [opts.env] variables that override those of this process
   * @param {boolean} [opts.diagnose] whether it may be diagnosed
   * @param {AbortSignal} [opts.signal] stops waiting
   * @returns {Promise<?StartedServer>} null if waiting was stopped
   * @throws {CannonadeError} CANNONADE_SERVER_FAILED if it cannot be started or does not listen; it has been ended then
   */
  static async start (words, url, { patience = PATIENCE_SECONDS, name, cwd, env = {}, diagnose = false, signal } = {}) {
    const server = new StartedServer(await PortChannel.open())
    try {
      if (diagnose) server.diagnosis = await DiagnosisChannel.open(server.channel.folder)
      // Checked before the command starts: anything that accepts connections now is another server.
      const address = await freeAddressOf(url)
      if (!signal?.aborted) {
        server.child = new ChildServer(words, { cwd, env: { ...env, ...server.channel.environmentWith(env), ...server.diagnosis?.environment }, name })
        server.port = await portOf(server.child, server.channel, address, patience, signal)
      }
    } catch (error) {
      await server.close()
      throw error
    }
    if (server.port === null) await server.close()
    return server.port === null ? null : server
  }

  constructor (channel) {
    this.channel = channel
    /** Exchanges messages about a diagnosis with its threads; null if it cannot be diagnosed. */
    this.diagnosis = null
    this.child = null
    this.port = null
    this.closing = null
    // Registered before the command starts, so that an exit at any time also kills it.
    this.kill = () => {
      this.child?.kill()
      this.diagnosis?.close()
      channel.close()
    }
    process.on('exit', this.kill)
  }

  /** The PID of the listening process if known, else that of the started command: npm and shells start another process. */
  get pid () {
    return this.channel.pid ?? this.child.child.pid
  }

  /** The URL of this server. @param {string} url with any port */
  urlFrom (url) {
    const { reported, host } = this.channel
    return atPort(url, this.port, reported === this.port ? host : undefined)
  }

  /** Ends the command and its child processes. May be called repeatedly. */
  close () {
    this.closing ??= this.end()
    return this.closing
  }

  async end () {
    await this.child?.stop()
    process.removeListener('exit', this.kill)
    this.diagnosis?.close()
    this.channel.close()
  }
}

/**
 * Starts a command, waits until it listens on a port, calls `use`, and ends the command and its child processes.
 *
 * @param {string[]} words the command and its arguments
 * @param {string|string[]} url see StartedServer.start
 * @param {function(StartedServer): Promise} use
 * @param {object} [opts] see StartedServer.start
 * @returns {Promise<*>} the result of `use`; null if waiting was stopped
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED if it cannot be started or does not listen
 */
async function withServer (words, url, use, opts) {
  const server = await StartedServer.start(words, url, opts)
  if (server === null) return null
  try {
    return await use(server)
  } finally {
    await server.close()
  }
}

async function freeAddressOf (url) {
  const address = addressOf([url].flat()[0])
  return address !== null && !await accepts(address) ? address : null
}

// Node.js programs report their port. For other programs, the URL's port is polled.
async function portOf (child, channel, address, patience, signal) {
  const over = new AbortController()
  const failed = (what) => { throw child.failure(what) }
  const stopped = new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal }))
  try {
    return await Promise.race([
      channel.port,
      stopped,
      ...(address === null ? [] : [waitForPort(address, over.signal)]),
      child.ended.then((how) => failed(child.hasBegun ? `${how} before it listened on a port` : how)),
      sleep(patience * 1000, undefined, { signal: over.signal }).then(() => failed(`has not listened on a port within ${secondsInWords(patience)}. ` +
        'The port is detected only if the command runs on Node.js; otherwise give the port in the URL'))
    ])
  } finally {
    over.abort()
  }
}

module.exports = { StartedServer, withServer }
