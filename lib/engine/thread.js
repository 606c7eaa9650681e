'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { Worker } = require('node:worker_threads')
const { fromData, workerFailed } = require('./error-data')

// A line that is good as CommonJS and as a module. A thread inherits the flags of Node, and with `--input-type`, which a
// program given with `--eval` may have, it refuses to start with a file.
const PROGRAM = `import(${JSON.stringify(pathToFileURL(path.join(__dirname, 'worker.js')).href)})`

/**
 * One thread of a run, as the thread that started it sees it: what it has told so far, and whether it is over. It is over
 * when it has told its end, or can tell nothing any more.
 */
class Thread {
  /**
   * @param {object} data for worker.js
   * @param {object} owner `heard(thread, type, args)` for what the thread tells of the run; `threadFailed(thread, error)`
   *   when it has failed; `changed()` after each change of its state
   */
  constructor (data, owner) {
    this.number = data.part.share
    this.owner = owner
    /** The hooks are loaded. */
    this.hasStarted = false
    /** It waits for the start of a phase. */
    this.isReady = false
    /** The outcomes of its phases. */
    this.warmedUp = null
    this.ended = null
    this.isOver = false
    this.worker = new Worker(PROGRAM, { eval: true, workerData: data, name: `cannonade ${this.number}` })
    this.worker.on('message', ({ type, args }) => {
      if (!this.isOver) this.hear(type, args)
    })
    this.worker.on('error', (cause) => this.fail(workerFailed(cause)))
    this.worker.on('exit', (code) => this.fail(workerFailed(`it exited with code ${code} before the run was over`)))
  }

  hear (type, args) {
    switch (type) {
      case 'started':
        this.hasStarted = true
        break
      case 'ready':
        this.isReady = true
        break
      case 'warmedUp':
        this.warmedUp = args[0]
        break
      case 'ended':
        this.end(args[0])
        break
      case 'failed':
        this.fail(fromData(args[0]))
        break
      default:
        this.owner.heard(this, type, args)
    }
    this.owner.changed()
  }

  end ({ error, ...outcome }) {
    this.ended = outcome
    this.isOver = true
    if (error !== null) this.owner.threadFailed(this, fromData(error))
  }

  fail (error) {
    if (this.isOver) return
    this.isOver = true
    this.owner.threadFailed(this, error)
    this.owner.changed()
  }

  tell (type, ...args) {
    if (!this.isOver) this.worker.postMessage({ type, args })
  }

  /** @returns {Promise} when the thread is gone */
  terminate () {
    return this.worker.terminate()
  }
}

module.exports = Thread
