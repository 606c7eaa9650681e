'use strict'

const { spawn, spawnSync } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { CannonadeError, CODES } = require('../../base/errors')

// How long a server may take to end when it is asked to, and what it has started after it.
const GRACE_MS = 5000
const CHILDREN_GRACE_MS = 500
const POLL_MS = 20

/** A command that serves, in a process group of its own so that it can be ended with all that it has started. */
class ChildServer {
  /**
   * @param {string[]} words the command and its arguments
   * @param {object} environment beside our own
   * @param {string} [name] what it is called in messages
   */
  constructor (words, environment, name = words.join(' ')) {
    this.name = name
    // Its output is not ours: on our stdout there may be JSON.
    const { fd } = process.stderr
    this.child = spawn(words[0], words.slice(1), {
      stdio: ['ignore', fd, fd],
      env: { ...process.env, ...environment },
      detached: process.platform !== 'win32'
    })
    /** Resolves with an error in words when it has ended, or could not be started. */
    this.ended = new Promise((resolve) => {
      this.child.once('error', ({ code, message }) => {
        resolve(`could not be started: ${code === 'ENOENT' ? 'there is no such program' : message}`)
      })
      this.child.once('exit', (code, signal) => resolve(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`))
    })
    /** Whether there was anything to start. */
    this.hasBegun = this.child.pid !== undefined
    this.hasEnded = false
    this.ended.then(() => { this.hasEnded = true })
  }

  /**
   * @param {string} what it did, or did not
   * @returns {CannonadeError} CANNONADE_SERVER_FAILED
   */
  failure (what) {
    return new CannonadeError(CODES.SERVER_FAILED, `The server (${this.name}) ${what}`)
  }

  /** Ends it and what it has started: asks first. */
  async stop () {
    this.signal('SIGINT')
    await Promise.race([this.ended, sleep(GRACE_MS, undefined, { ref: false })])
    for (let waited = 0; this.hasEnded && this.isGroupAlive && waited < CHILDREN_GRACE_MS; waited += POLL_MS) await sleep(POLL_MS)
    this.kill()
    await this.ended
  }

  /** Ends it and what it has started, here and now. */
  kill () {
    this.signal('SIGKILL')
  }

  get isGroupAlive () {
    return process.platform !== 'win32' && this.signal(0)
  }

  // To the whole group. There is none any more when all have ended.
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
