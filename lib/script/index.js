'use strict'

const { isThenable } = require('../base/user-code')
const { nameOfRequest } = require('../values/request-name')
const contextMaker = require('./context')
const Script = require('./script')
const { Recording, ReplaySequence } = require('./recording')
const RequestSequence = require('./sequence')
const Step = require('./step')
const Calls = require('./user/calls')
const User = require('./user/user')
const UserScript = require('./user/user-script')
const { VisitScript, VisitSequence } = require('./visit-sequence')

/** Gives connections the script that runs the user's hooks: all of them if there are hooks (see engine/phase/pool.js), otherwise only when needed. */
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
    this.base = { ...withStream(plan.base, hooks.body), onEvent: hooks.onEvent, setupRequest: hooks.setupRequest }
    this.steps = new Map()
    this.programs = new Map()
    this.calls = new Map()
    this.recording = plan.replay === null ? null : new Recording(plan, protocol)
    this.newContext = contextMaker(plan.initialContext)
  }

  /** Gives a connection its script, and passes its client to setupClient. */
  ensure (connection) {
    if (connection.script !== null) return
    const script = this.create(connection)
    script.takeOver()
    connection.script = script
    if (this.hooks.setupClient !== null) this.setUp(connection)
  }

  // Nothing is sent on a connection until its setupClient has settled, since it may have to log in first.
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
   * Gives the connections of a session their scripts. They share everything that belongs to the user: the sequence with its
   * context and row, the cookies, and the client.
   *
   * @param {Connection[]} connections
   * @param {Visit} visit
   * @param {number} which index in the plan's session scripts
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
      connection.script = new VisitScript(connection, visit, sequence, this.base, navigation, this.protocol, first.script?.client)
    }
    return sequence
  }

  /**
   * Gives the connections of a session their scripts, if the user's code makes its requests.
   *
   * @param {Connection[]} connections
   * @param {UserVisit} visit
   * @param {number} seed of the run
   * @param {?object} row
   * @returns {{ user: User, calls: Calls }} what the code gets, and what reads its calls
   */
  equipUser (connections, visit, seed, row) {
    const [first] = connections
    const navigation = this.navigationFor(first)
    for (const connection of connections) {
      connection.script = new UserScript(connection, visit, this.base, navigation, this.protocol, this.plan.timeout * 1000, first.script?.client)
    }
    return { user: new User(visit, seed, row, visit.scenarioName), calls: this.callsFor(first) }
  }

  callsFor ({ target }) {
    let calls = this.calls.get(target)
    if (calls === undefined) {
      const { idReplacement, feed } = this.plan
      calls = new Calls(this.base, target, this.protocol, idReplacement, feed === null ? null : feed.rows)
      this.calls.set(target, calls)
    }
    return calls
  }

  // Sessions with the same script and the same target share this data.
  programFor (connection, which) {
    const { target, train } = connection
    if (!this.programs.has(target)) this.programs.set(target, new Map())
    const known = this.programs.get(target)
    if (!known.has(which)) known.set(which, this.createProgram(this.stepsFor(connection), train, this.plan.sessions.scripts[which]))
    return known.get(which)
  }

  // If a script has requests for several targets, each session sends only those for its own target.
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

  /** Calls setupClient for a session. @returns {?Promise} what the hook returned, if it must be awaited */
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

  // Connections to the same target share their steps, which in turn share the bytes of the target's train.
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
        return new Step({ request, index, where: nameOfRequest(this.plan.requests[endpoint], endpoint), endpoint, hooks, target, protocol: this.protocol, withIds, rows, encoded })
      })
      this.steps.set(target, steps)
    }
    return steps
  }
}

// A plan is plain data, so the source function of a streamed body is kept separately.
function withStream (request, source) {
  return source === null ? request : { ...request, body: source }
}

module.exports = Scripts
