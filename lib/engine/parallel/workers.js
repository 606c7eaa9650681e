'use strict'

const path = require('node:path')
const { MessageChannel, Worker } = require('node:worker_threads')
const { programOf } = require('../../code-cache')
const { sharedCounts } = require('../../metrics/parts/broadcast')
const { workerFailed } = require('./error-data')
const GroupEngine = require('./group')
const Member = require('./member')

const FILE = path.join(__dirname, 'worker.js')

/** A thread that runs one part of a run. */
class Thread extends Member {
  /**
   * @param {number} number see Member
   * @param {object} data for worker.js
   * @param {object} owner see Member
   */
  constructor (number, data, owner) {
    super(number, owner)
    const { port1, port2 } = new MessageChannel()
    this.events = port1
    this.events.on('message', (batch) => owner.heardEvents(this, batch))
    this.eventsClosed = new Promise((resolve) => this.events.once('close', resolve))
    this.worker = new Worker(programOf(FILE), {
      eval: true,
      workerData: { ...data, events: port2 },
      transferList: [port2],
      name: `cannonade ${this.number}`
    })
    this.worker.on('message', ({ type, args }) => this.hear(type, args))
    this.worker.on('error', (cause) => this.fail(workerFailed(cause)))
    this.worker.on('exit', (code) => this.fail(workerFailed(`it exited with code ${code} before the run was over`)))
  }

  tell (type, ...args) {
    if (!this.isOver) this.worker.postMessage({ type, args })
  }

  heardEvents (count) {
    if (!this.isOver) this.events.postMessage(count)
  }

  /** @returns {Promise} resolves when the thread has ended */
  terminate () {
    this.events.close()
    return Promise.all([this.worker.terminate(), this.eventsClosed])
  }
}

/** Runs a plan in several threads, each a LocalEngine with its part of the shared schedule. */
class WorkersEngine extends GroupEngine {
  /**
   * @param {object} plan
   * @param {object} hooks of createPlan: paths, since functions cannot be sent to a thread
   * @param {object} listener see GroupEngine
   * @param {object} [coordinator] see GroupEngine; with `failures`, the failure counter that all threads share
   */
  constructor (plan, hooks, listener, coordinator) {
    super(plan, listener, coordinator)
    this.hooks = hooks
  }

  get size () {
    return this.plan.workers
  }

  get isOneProcess () {
    return true
  }

  recruit (parts) {
    const { plan, hooks, watched, coordinator: { keepsAccounts, failures } } = this
    const shared = { plan, hooks, watched, keepsAccounts, failures: failures ?? new Int32Array(new SharedArrayBuffer(4)) }
    const copies = plan.websocket?.expect === 'broadcast' ? { warmup: sharedCounts(parts.length), run: sharedCounts(parts.length) } : undefined
    this.members = parts.map((part, number) => this.createThread(number, { ...shared, part: { ...part, copies } }))
  }

  createThread (number, task) {
    return new Thread(number, task, this)
  }
}

module.exports = WorkersEngine
