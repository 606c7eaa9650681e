'use strict'

const contextMaker = require('./context')
const Script = require('./script')
const Recording = require('./recording')
const ReplaySequence = require('./replay-sequence')
const RequestSequence = require('./sequence')
const Step = require('./step')
const isThenable = require('./thenable')
const VisitSequence = require('./visit-sequence')

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
    this.base = { ...withStream(plan.base, hooks.body), onEvent: hooks.onEvent }
    this.steps = new Map()
    this.programs = new Map()
    this.recording = plan.replay === null ? null : new Recording(plan, protocol)
    this.newContext = contextMaker(plan.initialContext)
  }

  /** Whether each connection needs one from the start. */
  get areNeeded () {
    const { setupClient, verifyBody, requests } = this.hooks
    return setupClient !== null || verifyBody !== null || this.plan.expectBody !== null || this.feed !== null ||
      this.plan.cookies || this.plan.followRedirects !== null ||
      this.plan.replay !== null || requests.some((request) => Object.values(request).some((hook) => hook !== null))
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
      connection.script.calls.tell('reset')
    }
    const steps = this.stepsFor(connection)
    const sequence = this.recording === null
      ? new RequestSequence(steps, connection.order, this.newContext, onReset, this.feed)
      : new ReplaySequence(steps, this.newContext, this.recording, connection)
    return new Script(connection, sequence, this.base, this.navigationFor(connection), this.protocol)
  }

  /**
   * Gives the connections of a session their scripts. They share what belongs to the user: the sequence with its context and
   * row, the cookies, and the client.
   *
   * @param {Connection[]} connections
   * @param {Visit} visit
   * @param {number} which script of the plan's sessions
   * @param {?object} row
   * @returns {VisitSequence}
   */
  equip (connections, visit, which, row) {
    const [first] = connections
    const onReset = () => {
      first.owner.sequenceReset()
      first.script.calls.tell('reset')
    }
    const sequence = new VisitSequence(this.programFor(first, which), this.newContext(), onReset, row)
    const navigation = this.navigationFor(first)
    for (const connection of connections) {
      connection.script = new Script(connection, sequence, this.base, navigation, this.protocol, first.script?.client)
      connection.script.visit = visit
    }
    return sequence
  }

  // What sessions that go through the same script at the same target have in common.
  programFor (connection, which) {
    const { target, train } = connection
    if (!this.programs.has(target)) this.programs.set(target, new Map())
    const known = this.programs.get(target)
    if (!known.has(which)) known.set(which, this.createProgram(this.stepsFor(connection), train, this.plan.sessions.scripts[which]))
    return known.get(which)
  }

  // Of a script that goes to several targets each session has the requests that are for its own.
  createProgram (steps, { endpoints }, script) {
    const program = { base: this.plan.thinkTime, steps: [], leftInBurst: [], thinkTimes: [] }
    for (const { requests, thinkTime } of script) {
      const burst = requests.map((endpoint) => endpoints.indexOf(endpoint)).filter((index) => index !== -1)
      burst.forEach((index, position) => {
        program.steps.push(steps[index])
        program.leftInBurst.push(burst.length - position)
        program.thinkTimes.push(thinkTime)
      })
    }
    return program
  }

  /** Calls setupClient for a session. @returns {?Promise} what it gives to wait for */
  setUpVisit ({ connections: [{ script, owner }] }) {
    if (this.hooks.setupClient === null) return null
    try {
      const returned = this.hooks.setupClient(script.client)
      return isThenable(returned) ? Promise.resolve(returned) : null
    } catch (error) {
      owner.hookFailed('setupClient', error)
      return null
    }
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
