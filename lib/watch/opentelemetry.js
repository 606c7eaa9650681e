'use strict'

const { CannonadeError, CODES, optionError } = require('../base/errors')
const { loadPackage } = require('../base/packages')

const NAME = 'cannonade'
const PATIENCE_MS = 5000

const OUTCOMES = { completed: 'completed', failed: 'failed', timedOut: 'timed_out', unfinished: 'unfinished', unsent: 'unsent' }
const SESSION_OUTCOMES = ['completed', 'failed', 'unfinished', 'unstarted']
const QUANTILES = { p50: '0.5', p90: '0.9', p99: '0.99', p99_9: '0.999', max: '1' }

/**
 * Exports the metrics of a run to OpenTelemetry: its progress once per sample, and the rest at the end, when counters equal those of
 * the result. Where they go is up to the SDK that the program has set up; without one, they are discarded.
 *
 * @param {EventEmitter} instance the return value of `run(opts)`
 * @param {object} [options]
 * @param {object} [options.meter] default: the meter `cannonade` of the global meter provider
 * @param {object} [options.attributes] attributes of all metrics, in addition to the title of the run
 * @returns {EventEmitter} the instance
 * @throws {CannonadeError} CANNONADE_BAD_ARGUMENT without an instance, CANNONADE_BAD_OPTION, CANNONADE_MISSING_PACKAGE
 */
function toOpenTelemetry (instance, { meter, attributes = {} } = {}) {
  if (typeof instance?.on !== 'function') throw new CannonadeError(CODES.BAD_ARGUMENT, 'instance required for OpenTelemetry')
  if (typeof attributes !== 'object' || attributes === null) throw optionError('attributes', attributes, 'an object of names and values')
  if (meter !== undefined && typeof meter?.createCounter !== 'function') throw optionError('meter', meter, 'a Meter of OpenTelemetry')
  const title = instance.opts?.title
  const teller = new Teller(meter ?? loadApi().metrics.getMeter(NAME), { ...(title !== undefined && { title }), ...attributes })
  instance.on('start', () => teller.begin())
  instance.on('tick', (tick) => teller.sampled(tick))
  instance.on('done', (result) => teller.ended(result))
  return instance
}

class Teller {
  constructor (meter, attributes) {
    const counter = (name, unit, description) => meter.createCounter(`${NAME}.${name}`, { unit, description })
    const gauge = (name, unit, description) => meter.createGauge(`${NAME}.${name}`, { unit, description })
    this.attributes = attributes
    this.sent = counter('requests.sent', '{request}', 'Requests completely handed to a connection.')
    this.responses = counter('responses', '{response}', 'Complete responses.')
    this.errors = counter('errors', '{error}', 'Requests and connections that failed or timed out.')
    this.read = counter('read', 'By', 'Bytes of responses.')
    this.connections = gauge('connections', '{connection}', 'Open connections, at the last sample.')
    this.latency = gauge('sample.latency', 's', 'Latency percentiles of the last sample.')
    this.outcomes = counter('requests', '{request}', 'Requests by outcome. Exported at the end of a run.')
    this.statuses = counter('statuses', '{response}', 'Complete responses by status code. Exported at the end of a run.')
    this.causes = counter('errors.causes', '{error}', 'Errors by code. Exported at the end of a run.')
    this.checks = counter('checks', '{check}', 'Checks of user code by name and outcome. Exported at the end of a run.')
    this.scenarioSessions = counter('scenarios.sessions', '{session}', 'Sessions by scenario and outcome. Exported at the end of a run.')
    this.scenarioRequests = counter('scenarios.requests', '{request}', 'Requests by scenario and outcome. Exported at the end of a run.')
    this.scenarioLatency = gauge('scenarios.latency', 's', 'Latency percentiles of the whole run by scenario. Exported at its end.')
    this.resultLatency = gauge('result.latency', 's', 'Latency percentiles of the whole run. Exported at its end.')
    this.begin()
  }

  // With `forever`, each round counts from zero, but the metrics continue.
  begin () {
    this.reported = { sent: 0, responses: 0, errors: 0, read: 0 }
  }

  sampled ({ sent, requests, errors, bytes, connections, p50, p99, counter }) {
    this.advance({ sent, responses: requests, errors, read: this.reported.read + bytes })
    this.connections.record(connections, this.attributes)
    if (counter > 0) this.exportLatency(this.latency, { p50, p99 })
  }

  ended ({ accounting, requests, errors, throughput, latency, statusCodeStats, errorCodes, scenarios, checks = [] }) {
    this.advance({ sent: accounting.sent, responses: requests.total, errors, read: throughput.total })
    for (const [box, outcome] of Object.entries(OUTCOMES)) this.add(this.outcomes, accounting[box], { outcome })
    for (const [code, { count }] of Object.entries(statusCodeStats)) this.add(this.statuses, count, { 'http.response.status_code': Number(code) })
    for (const [code, { count }] of Object.entries(errorCodes)) this.add(this.causes, count, { 'error.type': code })
    for (const { name, scenario, ...counts } of checks) for (const outcome of ['passed', 'failed']) this.add(this.checks, counts[outcome], { check: name, outcome, ...(scenario !== null && { scenario }) })
    this.connections.record(0, this.attributes)
    if (latency.totalCount > 0) this.exportLatency(this.resultLatency, latency)
    for (const scenario of scenarios ?? []) this.exportScenario(scenario)
  }

  exportScenario ({ name: scenario, sessions, accounting, latency }) {
    for (const outcome of SESSION_OUTCOMES) this.add(this.scenarioSessions, sessions[outcome], { scenario, outcome })
    for (const [box, outcome] of Object.entries(OUTCOMES)) this.add(this.scenarioRequests, accounting[box], { scenario, outcome })
    if (latency.totalCount > 0) this.exportLatency(this.scenarioLatency, latency, { scenario })
  }

  // Counters must not decrease, so only the increase since the last update is added.
  advance (figures) {
    for (const [name, value] of Object.entries(figures)) {
      if (value > this.reported[name]) this.add(this[name], value - this.reported[name])
      this.reported[name] = Math.max(value, this.reported[name])
    }
  }

  add (counter, count, attributes) {
    if (count > 0) counter.add(count, { ...this.attributes, ...attributes })
  }

  exportLatency (gauge, percentiles, attributes) {
    for (const [name, quantile] of Object.entries(QUANTILES)) {
      if (typeof percentiles[name] === 'number') gauge.record(percentiles[name] / 1000, { ...this.attributes, ...attributes, quantile })
    }
  }
}

/** Makes the SDK export everything, if it supports this; for a process that is about to end. @returns {Promise} */
async function flush () {
  const provider = loadApi().metrics.getMeterProvider()
  let timer
  const patience = new Promise((resolve) => { timer = setTimeout(resolve, PATIENCE_MS) })
  await Promise.race([patience, Promise.resolve(provider.forceFlush?.()).catch(() => {})])
  clearTimeout(timer)
}

// Programs that use an OpenTelemetry SDK have this package installed.
const loadApi = () => loadPackage('@opentelemetry/api', { user: 'OpenTelemetry', option: 'opentelemetry' })

module.exports = Object.assign(toOpenTelemetry, { flush, loadApi })
