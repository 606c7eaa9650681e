'use strict'

const { fork } = require('node:child_process')
const path = require('node:path')
const { openChannel } = require('./channel')
const { CannonadeError, CODES } = require('../base/errors')

const PATIENCE_MS = 5000
const LOST = 'the processes of the server exited unexpectedly, and their counts are lost'

/**
 * A server of several processes, as seen by the process that started it. The others exit when their IPC channel to that process
 * closes, so none of them outlives it.
 */
class WorkerGroup {
  /** @param {object} options of parseServerOptions */
  constructor (options) {
    this.options = options
    this.lastStats = null
    this.process = fork(path.join(__dirname, 'supervisor.js'), [], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc']
    })
    this.ended = new Promise((resolve) => this.process.once('exit', resolve).once('error', resolve))
    this.channel = openChannel(this.process, {}, LOST)
  }

  /** @returns {Promise<{ port: number, url: string }>} */
  listen () {
    return this.channel.ask('listen', this.options)
  }

  /** @returns {Promise<object>} the sum of the workers' counts; after `close()`, the final ones */
  async stats () {
    const { stats, error } = this.lastStats ?? { stats: await this.channel.ask('stats') }
    if (error) throw new CannonadeError(CODES.SERVER_FAILED, error)
    return stats
  }

  /** Resolves when all processes have exited. */
  async close () {
    const killer = setTimeout(() => this.process.kill('SIGKILL'), PATIENCE_MS)
    this.lastStats = await this.channel.ask('close').catch((error) => ({ error: error.message }))
    if (this.process.connected) this.process.disconnect()
    await this.ended
    clearTimeout(killer)
  }
}

module.exports = { WorkerGroup }
