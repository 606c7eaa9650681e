'use strict'

const Recorder = require('./recorder')
const { SessionsOfScenario } = require('./parts/sessions')

/**
 * Counts a run with several scenarios: everything for the run as a whole, and requests and sessions for their scenario as well. What
 * is counted twice is counted by the same code, so the scenarios add up to the whole.
 */
class MixedRecorder extends Recorder {
  /**
   * @param {object} options as for Recorder
   * @param {Array<{ name: string, weight: number }>} scenarios
   * @param {number[]} scenarioOf the scenario of each endpoint of the plan; those of calls are added when they are first counted
   */
  constructor (options, scenarios, scenarioOf) {
    super(options)
    this.scenarioOf = scenarioOf
    const own = { ...options, diagnosed: false, slowest: 0, targets: [], stream: false, messages: null }
    this.scenarios = scenarios.map(({ name, weight }) => ({ name, weight, recorder: new Recorder(own), interval: null }))
    if (this.called !== null) for (const { recorder } of this.scenarios) recorder.called = this.called
    this.sessionsOfEach = this.scenarios.map(({ recorder }) => new SessionsOfScenario(this.sessions, recorder.sessions))
  }

  /** The recorder of one scenario. */
  ofScenario (scenario) {
    return this.scenarios[scenario].recorder
  }

  ofEndpoint (endpoint) {
    const scenario = this.scenarioOf[endpoint]
    if (scenario !== undefined) return this.ofScenario(scenario)
    const { first, requests } = this.called
    const found = this.scenarios.findIndex(({ name }) => name === requests[endpoint - first].scenario)
    this.scenarioOf[endpoint] = found
    return this.ofScenario(found)
  }

  shareEndpoints (other) {
    super.shareEndpoints(other)
    for (const { recorder } of this.scenarios) recorder.shareEndpoints(other)
  }

  sessionsBeganTogether (count, ofEach) {
    super.sessionsBeganTogether(count, ofEach)
    this.scenarios.forEach(({ recorder }, scenario) => recorder.sessions.beganTogether(ofEach[scenario]))
  }

  sessionsOf (scenario) {
    return this.sessionsOfEach[scenario]
  }

  completedRequest (endpoint, ...rest) {
    super.completedRequest(endpoint, ...rest)
    this.ofEndpoint(endpoint).completedRequest(endpoint, ...rest)
  }

  completedWhole (count, endpoint, ...rest) {
    super.completedWhole(count, endpoint, ...rest)
    this.ofEndpoint(endpoint).completedWhole(count, endpoint, ...rest)
  }

  completedCall (endpoint, ...rest) {
    super.completedCall(endpoint, ...rest)
    this.ofEndpoint(endpoint).completedCall(endpoint, ...rest)
  }

  completedMessages (count, endpoint, ...rest) {
    super.completedMessages(count, endpoint, ...rest)
    this.ofEndpoint(endpoint).completedMessages(count, endpoint, ...rest)
  }

  failedRequest (endpoint, ...rest) {
    super.failedRequest(endpoint, ...rest)
    this.ofEndpoint(endpoint).failedRequest(endpoint, ...rest)
  }

  timedOutRequest (endpoint, ...rest) {
    super.timedOutRequest(endpoint, ...rest)
    this.ofEndpoint(endpoint).timedOutRequest(endpoint, ...rest)
  }

  unfinishedRequest (endpoint, ...rest) {
    super.unfinishedRequest(endpoint, ...rest)
    this.ofEndpoint(endpoint).unfinishedRequest(endpoint, ...rest)
  }

  unsentOf (scenario, ...rest) {
    super.unsentOf(scenario, ...rest)
    this.ofScenario(scenario).unsentRequest(...rest)
  }

  failedConnectionOf (scenario, ...rest) {
    super.failedConnectionOf(scenario, ...rest)
    this.ofScenario(scenario).failedConnection(...rest)
  }

  verifyBodies () {
    super.verifyBodies()
    for (const { recorder } of this.scenarios) recorder.verifyBodies()
  }

  mismatchedOf (scenario) {
    super.mismatchedOf(scenario)
    this.ofScenario(scenario).mismatchedOf()
  }

  verdictPendsOf (scenario, by) {
    super.verdictPendsOf(scenario, by)
    this.ofScenario(scenario).verdictPendsOf(null, by)
  }

  interrupt () {
    super.interrupt()
    for (const { recorder } of this.scenarios) recorder.interrupt()
  }

  leaveUndecided (of = this) {
    super.leaveUndecided(of)
    this.scenarios.forEach(({ recorder }, scenario) => recorder.leaveUndecided(of.ofScenario(scenario)))
  }

  begin (now) {
    super.begin(now)
    for (const { recorder } of this.scenarios) recorder.begin(now)
  }

  takeInterval (now) {
    for (const scenario of this.scenarios) scenario.interval = scenario.recorder.takeInterval(now)
    return super.takeInterval(now)
  }
}

module.exports = MixedRecorder
