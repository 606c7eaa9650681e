'use strict'

const { spawn, spawnSync } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { CannonadeError, CODES } = require('../base/errors')

// How long to wait for a server to end after SIGINT, and then for processes that it started.
const GRACE_MS = 5000
const CHILDREN_GRACE_MS = 500
const POLL_MS = 20

/**
 * A server started from a command. It has its own process group, so that it can be ended together with all processes that
 * it started.
 */
class ChildServer {
  /**
   * @param {string[]} words the command and its arguments
   * @param {object} [opts]
   * @param {object} [opts.env] variables that override those of this process
   * @param {string} [opts.cwd] working directory
   * @param {string} [opts.name] its name in messages
   */
  constructor (words, { env = {}, cwd, name = words.join(' ') } = {}) {
    this.name = name
    // The server's output goes to stderr, since stdout may carry JSON.
    const { fd } = process.stderr
    this.child = spawn(words[0], words.slice(1), {
      stdio: ['ignore', fd, fd],
      cwd,
      env: { ...process.env, ...env },
      detached: process.platform !== 'win32'
    })
    /** Resolves with a description when the server has ended or could not be started. */
    this.ended = new Promise((resolve) => {
      this.child.once('error', ({ code, message }) => {
        resolve(`could not be started: ${code === 'ENOENT' ? 'there is no such program' : message}`)
      })
      this.child.once('exit', (code, signal) => resolve(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`))
    })
    /** Whether the process could be started. */
    this.hasBegun = this.child.pid !== undefined
    this.hasEnded = false
    this.ended.then(() => { this.hasEnded = true })
  }

  /**
   * @param {string} what the server did or failed to do
   * @returns {CannonadeError} CANNONADE_SERVER_FAILED
   */
  failure (what) {
    return new CannonadeError(CODES.SERVER_FAILED, `The server (${this.name}) ${what}`)
  }

  /** Ends the server and its child processes: with SIGINT first, then with SIGKILL. */
  async stop () {
    this.signal('SIGINT')
    await Promise.race([this.ended, sleep(GRACE_MS, undefined, { ref: false })])
    for (let waited = 0; this.hasEnded && this.isGroupAlive && waited < CHILDREN_GRACE_MS; waited += POLL_MS) await sleep(POLL_MS)
    this.kill()
    await this.ended
  }

  /** Ends the server and its child processes immediately. */
  kill () {
    this.signal('SIGKILL')
  }

  get isGroupAlive () {
    return process.platform !== 'win32' && this.signal(0)
  }

  // Signals the whole process group, which no longer exists once all its processes have ended.
  signal (signal) {
    const { pid } = this.child
    if (pid === undefined) return false
    if (process.platform === 'win32') return spawnSync('taskkill', ['/pid', pid, '/T', '/F']).status === 0
    try {
      return process.kill(-pid, signal)
    } catch {
      return false
    }
  }
}

module.exports = ChildServer
