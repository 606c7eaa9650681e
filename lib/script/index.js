'use strict'

const contextMaker = require('./context')
const Script = require('./script')
const RequestSequence = require('./sequence')
const Step = require('./step')
const isThenable = require('./thenable')

/** Gives connections the script that runs the user's hooks: to all where there are hooks, else only when asked for. */
class Scripts {
  /**
   * @param {object} plan
   * @param {object} protocol the plan's, see protocol/index.js
   * @param {object} hooks loaded, see engine/hooks.js
   * @param {?Feed} feed the rows of this thread
   */
  constructor (plan, protocol, hooks, feed) {
    this.plan = plan
    this.protocol = protocol
    this.hooks = hooks
    this.feed = feed
    this.base = withStream(plan.base, hooks.body)
    this.steps = new Map()
    this.newContext = contextMaker(plan.initialContext)
  }

  /** Whether each connection needs one from the start. */
  get areNeeded () {
    const { setupClient, verifyBody, requests } = this.hooks
    return setupClient !== null || verifyBody !== null || this.plan.expectBody !== null || this.feed !== null ||
      this.plan.cookies || this.plan.followRedirects !== null ||
      requests.some((request) => Object.values(request).some((hook) => hook !== null))
  }

  /** Gives a connection its script, and to setupClient its client. */
  ensure (connection) {
    if (connection.script !== null) return
    const script = this.create(connection)
    script.takeOver()
    connection.script = script
    if (this.hooks.setupClient !== null) this.setUp(connection)
  }

  // Nothing is sent on a connection before its setupClient has done its work, which may be to log in somewhere.
  setUp ({ script, owner }) {
    try {
      const returned = this.hooks.setupClient(script.client)
      if (isThenable(returned)) script.waitForClient(returned)
    } catch (error) {
      owner.hookFailed('setupClient', error)
    }
  }

  create (connection) {
    const onReset = () => {
      connection.owner.sequenceReset()
      connection.script.tell('reset')
    }
    const sequence = new RequestSequence(this.stepsFor(connection), this.newContext, onReset, this.feed)
    return new Script(connection, sequence, this.base, this.navigationFor(connection), this.protocol)
  }

  navigationFor (connection) {
    if (!this.plan.cookies && this.plan.followRedirects === null) return null
    return new this.protocol.Navigation(connection.target, this.plan, (warning) => connection.owner.warn(warning))
  }

  // Connections to one target have the same steps, and these the bytes that the target's train has.
  stepsFor ({ target, train }) {
    let steps = this.steps.get(target)
    if (steps === undefined) {
      const { idReplacement: withIds, feed } = this.plan
      const rows = feed === null ? null : feed.rows
      steps = train.requests.map((bytes, index) => {
        const endpoint = train.endpoints[index]
        const { body, ...hooks } = this.hooks.requests[endpoint]
        const request = withStream(this.plan.requests[endpoint], body)
        const encoded = body === null ? bytes : undefined
        return new Step({ request, index, endpoint, hooks, target, protocol: this.protocol, withIds, rows, encoded })
      })
      this.steps.set(target, steps)
    }
    return steps
  }
}

// A plan is data, so that the source of a stream stands beside it.
function withStream (request, source) {
  return source === null ? request : { ...request, body: source }
}

module.exports = Scripts
