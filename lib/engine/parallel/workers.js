'use strict'

const { sharedCounts } = require('../../metrics/parts/broadcast')
const GroupEngine = require('./group')
const Thread = require('./thread')

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
