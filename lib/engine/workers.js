'use strict'

const CrewEngine = require('./crew')
const Thread = require('./thread')

/** Runs a plan in several threads, each a LocalEngine with its part of the one schedule. */
class WorkersEngine extends CrewEngine {
  /**
   * @param {object} plan
   * @param {object} hooks of createPlan: paths, since functions cannot be sent to a thread
   * @param {object} listener see CrewEngine
   */
  constructor (plan, hooks, listener) {
    super(plan, listener)
    this.hooks = hooks
  }

  get size () {
    return this.plan.workers
  }

  get isOneProcess () {
    return true
  }

  recruit (parts) {
    const { plan, hooks, watched } = this
    const shared = { plan, hooks, watched, failures: new Int32Array(new SharedArrayBuffer(4)) }
    for (const part of parts) this.members.push(new Thread({ ...shared, part }, this))
  }
}

module.exports = WorkersEngine
